import { and, eq } from 'drizzle-orm';
import type { Db } from './db/client.ts';
import { readNow } from './db/clock.ts';
import { advance, lockExecution } from './db/executions.ts';
import { approvals, decisions } from './db/schema.ts';
import { lockTask } from './db/tasks.ts';
import { revokeWindowsOf } from './db/windows.ts';

/**
 * A message that said yes was edited or removed by an operator (R0): what it granted and has not
 * started is called off, and the windows that it opened close. Answers the numbers called off; what
 * runs already goes on until somebody says stop.
 */
export async function takeBack(
  db: Db,
  taken: { readonly eventId: string; readonly by: string; readonly because: string },
): Promise<number[]> {
  const granted = await db
    .select({ approval: approvals })
    .from(decisions)
    .innerJoin(approvals, eq(approvals.id, decisions.approvalId))
    .where(and(eq(decisions.eventId, taken.eventId), eq(decisions.decision, 'granted')));
  const numbers: number[] = [];
  for (const { approval } of granted) {
    const number = await revoke(db, approval, taken);
    if (number !== null) numbers.push(number);
  }
  return numbers;
}

function revoke(
  db: Db,
  approval: typeof approvals.$inferSelect,
  { eventId, by, because }: { eventId: string; by: string; because: string },
): Promise<number | null> {
  return db.transaction(async (tx) => {
    const now = await readNow(tx);
    await lockTask(tx, approval.taskId);
    const { status } = await lockExecution(tx, approval.executionId);
    // Whatever became of the work itself, the yes covers nothing more.
    await revokeWindowsOf(tx, approval.id, now, by);
    // A run is ended by its daemon alone; the table would let it be cancelled under it.
    if (status !== 'approved') return null;
    const { row } = await advance(tx, approval.executionId, 'cancelled', {
      actor: by,
      now,
      eventId,
      patch: { reason: because },
    });
    await tx.update(approvals).set({ status: 'revoked' }).where(eq(approvals.id, approval.id));
    return row.number;
  });
}
