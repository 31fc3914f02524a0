import { and, asc, eq, isNull, sql } from 'drizzle-orm';
import type { Db } from '../shared/db/client.ts';
import type { OutboxRow } from '../shared/db/outbox.ts';
import { outbox } from '../shared/db/schema.ts';

/** Attempts after which a row that keeps failing for an unknown reason is given up, and shown. */
export const MAX_ATTEMPTS = 200;

export async function untoldRows(db: Db, limit: number): Promise<OutboxRow[]> {
  return db
    .select()
    .from(outbox)
    .where(and(isNull(outbox.toldAt), isNull(outbox.failedReason)))
    .orderBy(asc(outbox.seq))
    .limit(limit);
}

export async function markTold(db: Db, seq: number): Promise<void> {
  await db.update(outbox).set({ toldAt: sql`oikos_now()` }).where(eq(outbox.seq, seq));
}

/** Remembers a failure; `permanent` ones are not tried again. */
export async function markFailed(
  db: Db,
  row: OutboxRow,
  reason: string,
  permanent: boolean,
): Promise<void> {
  const attempts = row.attempts + 1;
  const over = permanent || attempts >= MAX_ATTEMPTS;
  await db
    .update(outbox)
    .set({ attempts, ...(over && { failedReason: reason.slice(0, 500) }) })
    .where(eq(outbox.seq, row.seq));
}
