import { and, asc, eq, gt, inArray, isNull, ne } from 'drizzle-orm';
import { audit } from './db/audit.ts';
import type { Tx } from './db/client.ts';
import { advance, type ExecutionRow } from './db/executions.ts';
import { forgetSyncPlace } from './db/inbox.ts';
import { announce } from './db/outbox.ts';
import { agentSessions, approvals, executions, outbox, turns, windows } from './db/schema.ts';
import { lockTask } from './db/tasks.ts';
import { revokeWindows } from './db/windows.ts';
import type { ExecutionEvent, ExecutionStatus } from './domain/execution.ts';
import type { LedgerHead } from './ledger.ts';
import { revokeAllRules } from './rules.ts';

const OLDER = 'the database was restored from an older copy';
const ALTERED = 'the ledger in the database was altered';

/** Where each status goes that may still lead to a run; `running` may have ended since. */
const ENDS: Readonly<Partial<Record<ExecutionStatus, ExecutionEvent>>> = {
  proposed: 'failed',
  pending_approval: 'expired',
  approved: 'expired',
  running: 'lost',
};

interface Restored {
  readonly now: Date;
  /** Which process found out. */
  readonly actor: string;
  readonly expected: LedgerHead;
  readonly found: LedgerHead;
  /** What was taken out of the ledger or changed in it; undefined: it is only an older one. */
  readonly flaw?: string | undefined;
}

/**
 * Ends everything in an older or altered database that could still act: it may have been done, closed
 * or revoked since the copy was made. Nothing is told or said twice: what was untold then counts as
 * told, and the sync begins anew.
 */
export async function settleRestored(tx: Tx, restored: Restored): Promise<void> {
  const { now, actor, expected, found, flaw } = restored;
  await tx.update(outbox).set({ toldAt: now }).where(isNull(outbox.toldAt));
  await tx
    .update(turns)
    .set({ status: 'ended', outcome: 'stopped', endedAt: now })
    .where(ne(turns.status, 'ended'));
  await forgetSyncPlace(tx);
  const alive = await tx
    .select()
    .from(executions)
    .where(inArray(executions.status, Object.keys(ENDS) as ExecutionStatus[]))
    .orderBy(asc(executions.taskId));
  for (const row of alive) await end(tx, row, restored);
  const closed = await closeWindows(tx, now);
  const revoked = await revokeAllRules(tx, { by: 'oikos', now });
  const lost = alive.filter(({ status }) => status === 'running').length;
  const expired = alive.length - lost;
  await audit(tx, {
    at: now,
    kind: 'database.restored',
    actor,
    data: {
      expected,
      found,
      ...(flaw !== undefined && { flaw }),
      expired,
      lost,
      windows: closed,
      rules: revoked,
    },
  });
  await tellRooms(tx, now, flaw, { expired, lost, closed, revoked });
}

async function end(tx: Tx, row: ExecutionRow, { now, actor, flaw }: Restored): Promise<void> {
  const event = ENDS[row.status];
  if (!event) return;
  await lockTask(tx, row.taskId);
  const patch = { reason: flaw === undefined ? OLDER : ALTERED, leaseUntil: null };
  const { moved } = await advance(tx, row.id, event, { actor, now, patch });
  if (!moved) return;
  await tx
    .update(approvals)
    .set({ status: 'expired', decidedAt: now })
    .where(and(eq(approvals.executionId, row.id), eq(approvals.status, 'pending')));
}

async function closeWindows(tx: Tx, now: Date): Promise<number> {
  const open = await tx
    .selectDistinct({ taskId: windows.taskId })
    .from(windows)
    .where(and(isNull(windows.revokedAt), gt(windows.expiresAt, now)));
  let closed = 0;
  for (const { taskId } of open) closed += await revokeWindows(tx, taskId, now, 'oikos');
  return closed;
}

const OLDER_WORDS = {
  found:
    'The database is an older copy than the one that I worked with last: it looks restored from a backup.',
  look: 'What was said and done since that copy I do not know; look before you ask again.',
};

function alteredWords(flaw: string) {
  return {
    found: `Somebody took something out of the ledger in the database, or changed it (${flaw}).`,
    look: 'Look at who is locked, at the listed rooms, the tokens and `oikos policy show`: what is missing there must be said again.',
  };
}

async function tellRooms(
  tx: Tx,
  now: Date,
  flaw: string | undefined,
  ended: { expired: number; lost: number; closed: number; revoked: number },
): Promise<void> {
  const { found, look } = flaw === undefined ? OLDER_WORDS : alteredWords(flaw);
  const text = `${found} So I start nothing from it: expired ${ended.expired}, lost ${ended.lost}, windows closed ${ended.closed}, rules revoked ${ended.revoked}. ${look}`;
  const rooms = await tx.selectDistinct({ roomId: agentSessions.roomId }).from(agentSessions);
  for (const { roomId } of rooms) {
    await announce(tx, { type: 'room.say', roomId, at: now, data: { text } });
  }
}
