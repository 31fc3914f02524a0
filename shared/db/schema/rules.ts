import {
  bigint,
  index,
  integer,
  jsonb,
  pgTable,
  serial,
  text,
  uniqueIndex,
  uuid,
} from 'drizzle-orm/pg-core';
import { RULE_KINDS } from '../../domain/rule.ts';
import { TARGET_KINDS } from '../../domain/target.ts';
import { id, moment, oneOf } from './columns.ts';

/**
 * What operators always allow: patterns and standing rules. A row is never deleted and its content
 * never changed; a rule that is wanted otherwise is made anew.
 */
export const rules = pgTable(
  'standing_rules',
  {
    id: id(),
    /** R1, R2, … over all rooms; a sequence, so never handed out twice. */
    number: serial('number').notNull(),
    kind: text('kind', { enum: RULE_KINDS }).notNull(),
    agent: text('agent').notNull(),
    /** Where it was made, and where its sentence is awaited. */
    roomId: text('room_id').notNull(),
    /** The message that asked for it: the same event again finds the same rule. */
    eventId: text('event_id').notNull(),
    /** The card that it was made about, where there was one. */
    executionId: uuid('execution_id'),
    argv: jsonb('argv').$type<readonly string[]>().notNull(),
    targetKind: text('target_kind', { enum: TARGET_KINDS }).notNull(),
    targetSlug: text('target_slug').notNull(),
    targetName: text('target_name').notNull(),
    hostSlug: text('host_slug').notNull(),
    vmid: integer('vmid'),
    rootVolume: text('root_volume'),
    hostKey: text('host_key'),
    dailyCap: integer('daily_cap').notNull(),
    allowedBy: text('allowed_by').notNull(),
    /** Null until the operator typed its sentence. */
    allowedAt: moment('allowed_at'),
    /** The message with its sentence: a yes that can be taken back like any other. */
    confirmedEvent: text('confirmed_event'),
    /** Our own inbox number of the message that showed it: a sentence counts only after that (R0). */
    shownSeq: bigint('shown_seq', { mode: 'number' }),
    createdAt: moment('created_at').notNull(),
    lastUsedAt: moment('last_used_at'),
    revokedAt: moment('revoked_at'),
    revokedBy: text('revoked_by'),
    /** Over `ruleContent()`, made anew when it is confirmed. */
    seal: text('seal'),
  },
  (t) => [
    oneOf('standing_rules__kind', RULE_KINDS),
    uniqueIndex('rule_number').on(t.number),
    uniqueIndex('one_rule_an_event').on(t.eventId),
    index('rules_of_target').on(t.targetSlug),
  ],
);
