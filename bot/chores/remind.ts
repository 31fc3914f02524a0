import { and, eq, isNotNull, isNull, lte } from 'drizzle-orm';
import type { Db } from '../../shared/db/client.ts';
import { readNow } from '../../shared/db/clock.ts';
import { announce } from '../../shared/db/outbox.ts';
import { approvals } from '../../shared/db/schema.ts';
import { isWaking, type WakingHours } from './waking.ts';

/** How long a card waits before it rings a second, and last, time. */
const PATIENCE_MS = 30 * 60_000;

/** Lets cards that nobody has answered ring once more, while people are awake. */
export async function remindOfCards(deps: {
  readonly db: Db;
  readonly wakingHours: WakingHours;
  readonly timeZone: string;
}): Promise<void> {
  const now = await readNow(deps.db);
  if (!isWaking(now, deps.wakingHours, deps.timeZone)) return;
  await deps.db.transaction(async (tx) => {
    const reminded = await tx
      .update(approvals)
      .set({ remindedAt: now })
      .where(
        and(
          eq(approvals.status, 'pending'),
          isNull(approvals.remindedAt),
          isNotNull(approvals.cardEvent),
          lte(approvals.createdAt, new Date(now.getTime() - PATIENCE_MS)),
        ),
      )
      .returning();
    for (const { id, roomId, taskId, executionId } of reminded) {
      const about = { roomId, taskId, executionId, approvalId: id, at: now };
      await announce(tx, { ...about, type: 'approval.reminder' });
    }
  });
}
