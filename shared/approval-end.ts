import { eq } from 'drizzle-orm';
import type { Tx } from './db/client.ts';
import { advance } from './db/executions.ts';
import { approvals } from './db/schema.ts';

/** Moves a card whose life is over, with its execution. */
export async function expireApproval(
  tx: Tx,
  approval: { id: string; executionId: string },
  now: Date,
): Promise<void> {
  const { moved } = await advance(tx, approval.executionId, 'expired', {
    actor: 'oikos',
    now,
    patch: { reason: 'nobody answered in time' },
  });
  if (moved) await settleApproval(tx, approval.id, 'expired', now);
}

/** Takes a pending card back: replaced, its task closed, or stop was said. */
export async function withdrawApproval(
  tx: Tx,
  approval: { id: string; executionId: string },
  change: { now: Date; by: string; reason: string; eventId?: string | undefined },
): Promise<void> {
  const { moved } = await advance(tx, approval.executionId, 'cancelled', {
    actor: change.by,
    now: change.now,
    eventId: change.eventId,
    patch: { reason: change.reason },
  });
  if (moved) await settleApproval(tx, approval.id, 'withdrawn', change.now);
}

/** How a card ended; its execution is moved by the caller. */
export async function settleApproval(
  tx: Tx,
  id: string,
  status: 'granted' | 'denied' | 'expired' | 'withdrawn',
  now: Date,
): Promise<void> {
  await tx.update(approvals).set({ status, decidedAt: now }).where(eq(approvals.id, id));
}
