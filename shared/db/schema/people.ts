import { index, pgTable, text } from 'drizzle-orm/pg-core';
import { id, moment } from './columns.ts';

/** People who decide nothing, whatever the settings say, until the terminal lets them again. */
export const locks = pgTable('locks', {
  /** An exact Matrix id. */
  person: text('person').primaryKey(),
  lockedBy: text('locked_by').notNull(),
  lockedAt: moment('locked_at').notNull(),
});

/** Who may decide over HTTP and at the terminal: each token speaks for one operator. */
export const apiTokens = pgTable(
  'api_tokens',
  {
    id: id(),
    operator: text('operator').notNull(),
    /** sha256 of the token; the token itself is shown once and kept nowhere. */
    hash: text('hash').notNull().unique(),
    createdAt: moment('created_at').notNull(),
    revokedAt: moment('revoked_at'),
    /** Over everything but `revoked_at`: without it the token speaks for nobody. */
    seal: text('seal'),
  },
  (t) => [index('api_tokens_of_operator').on(t.operator)],
);
