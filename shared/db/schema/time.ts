import { type SQL, sql } from 'drizzle-orm';
import { bigint, pgTable, text } from 'drizzle-orm/pg-core';

/** Empty outside tests; its one row moves `oikos_now()` for both processes at once (K13). */
export const clockOffset = pgTable('clock_offset', {
  ms: bigint('ms', { mode: 'number' }).notNull(),
  /** Tests seal what they set; a clock that somebody else moved lets nothing start. */
  seal: text('seal'),
});

/** The database's clock: `now` is read once per operation and passed to pure code. */
export const oikosNow: SQL<Date> = sql`oikos_now()`;
