import { bigint, pgTable, text } from 'drizzle-orm/pg-core';

/**
 * The hash chain over `audit_events`, written by a trigger at commit and by nobody else. `place` has
 * no gaps; it is the order of commits, which `audit_events.seq` is not.
 */
export const auditChain = pgTable('audit_chain', {
  place: bigint('place', { mode: 'number' }).primaryKey(),
  eventSeq: bigint('event_seq', { mode: 'number' }).notNull().unique(),
  /** Hash of the place before; 64 zeros at place 1. */
  prevHash: text('prev_hash').notNull(),
  hash: text('hash').notNull(),
});
