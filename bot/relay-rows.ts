import { and, asc, eq, isNull, notInArray, sql } from 'drizzle-orm';
import type { Db } from '../shared/db/client.ts';
import type { OutboxRow } from '../shared/db/outbox.ts';
import { outbox } from '../shared/db/schema.ts';

/** What is still to be told, oldest first, in rooms other than those that are busy or paused. */
export async function untoldRows(
  db: Db,
  limit: number,
  exceptRooms: readonly string[] = [],
): Promise<OutboxRow[]> {
  return db
    .select()
    .from(outbox)
    .where(
      and(
        isNull(outbox.toldAt),
        isNull(outbox.failedReason),
        notInArray(outbox.roomId, [...exceptRooms]),
      ),
    )
    .orderBy(asc(outbox.seq))
    .limit(limit);
}

export async function markTold(db: Db, seq: number): Promise<void> {
  await db.update(outbox).set({ toldAt: sql`oikos_now()` }).where(eq(outbox.seq, seq));
}

/** Remembers a failure; one that is `over` is not tried again. */
export async function markFailed(
  db: Db,
  row: OutboxRow,
  reason: string,
  over: boolean,
): Promise<void> {
  await db
    .update(outbox)
    .set({
      attempts: row.attempts + 1,
      ...(over && { failedReason: reason.slice(0, 500).toWellFormed() }),
    })
    .where(eq(outbox.seq, row.seq));
}
