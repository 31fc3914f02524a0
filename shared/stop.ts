import { and, eq, inArray } from 'drizzle-orm';
import { withdrawApproval } from './approval-end.ts';
import { audit } from './db/audit.ts';
import type { Db, Tx } from './db/client.ts';
import { readNow } from './db/clock.ts';
import { advance, lockExecution, requestCancel } from './db/executions.ts';
import { takeUserMessages } from './db/messages.ts';
import { agentSessions, approvals, executions } from './db/schema.ts';
import { lockTask } from './db/tasks.ts';
import { liveTurn } from './db/turns.ts';
import { revokeWindows } from './db/windows.ts';

export interface Stopped {
  readonly withdrawn: number;
  readonly cancelled: number;
  readonly stopping: number;
  readonly windows: number;
}

/**
 * `stop` for one task: closes its windows, withdraws its cards, cancels what is queued, asks the
 * daemon to end what runs, and makes `propose()` refuse the turns that were begun before it. Words
 * that wait for a turn were said before it too: they are left to the turn that it ends.
 */
export function stopTask(db: Db, taskId: string, by: string, eventId?: string): Promise<Stopped> {
  return db.transaction(async (tx) => {
    const now = await readNow(tx);
    const task = await lockTask(tx, taskId);
    if (!task) return { withdrawn: 0, cancelled: 0, stopping: 0, windows: 0 };
    await tx
      .update(agentSessions)
      .set({ stopEpoch: task.stopEpoch + 1 })
      .where(eq(agentSessions.id, taskId));
    const turn = await liveTurn(tx, taskId);
    if (turn) await takeUserMessages(tx, taskId, turn.id);
    await audit(tx, { at: now, kind: 'task.stopped', actor: by, taskId, eventId: eventId ?? null });
    const stop = { now, by, reason: `${by} said stop`, eventId };
    return {
      stopping: await cancelRunning(tx, taskId, stop),
      cancelled: await cancelQueued(tx, taskId, stop),
      withdrawn: await withdrawCards(tx, taskId, stop),
      windows: await revokeWindows(tx, taskId, now, by),
    };
  });
}

/**
 * `no` or `wait` while a window is open (K15): closes the task's windows and cancels what waits for
 * its start under them. Answers null where no window was open, and nothing is changed.
 */
export function closeWindows(
  db: Db,
  taskId: string,
  by: string,
  eventId?: string,
): Promise<Pick<Stopped, 'cancelled' | 'windows'> | null> {
  return db.transaction(async (tx) => {
    const now = await readNow(tx);
    await lockTask(tx, taskId);
    const windows = await revokeWindows(tx, taskId, now, by);
    if (windows === 0) return null;
    const stop = { now, by, reason: `${by} said no or wait`, eventId };
    return { windows, cancelled: await cancelQueued(tx, taskId, stop) };
  });
}

/** Stops one execution that was approved or runs; answers whether there was anything to stop. */
export function stopExecution(
  db: Db,
  execution: { id: string; taskId: string },
  by: string,
  eventId?: string,
): Promise<boolean> {
  return db.transaction(async (tx) => {
    const now = await readNow(tx);
    await lockTask(tx, execution.taskId);
    const { status } = await lockExecution(tx, execution.id);
    if (status === 'running') return requestCancel(tx, execution.id, { now, by, eventId });
    if (status !== 'approved') return false;
    const patch = { reason: `${by} stopped it` };
    const { moved } = await advance(tx, execution.id, 'cancelled', {
      actor: by,
      now,
      eventId,
      patch,
    });
    return moved;
  });
}

interface Stop {
  readonly now: Date;
  readonly by: string;
  readonly reason: string;
  readonly eventId: string | undefined;
}

async function cancelRunning(tx: Tx, taskId: string, stop: Stop): Promise<number> {
  const running = await tx
    .select({ id: executions.id })
    .from(executions)
    .where(and(eq(executions.taskId, taskId), eq(executions.status, 'running')));
  for (const { id } of running) await requestCancel(tx, id, stop);
  return running.length;
}

async function cancelQueued(tx: Tx, taskId: string, stop: Stop): Promise<number> {
  const queued = await tx
    .select({ id: executions.id })
    .from(executions)
    .where(
      and(eq(executions.taskId, taskId), inArray(executions.status, ['proposed', 'approved'])),
    );
  let cancelled = 0;
  for (const { id } of queued) {
    const { moved } = await advance(tx, id, 'cancelled', {
      actor: stop.by,
      now: stop.now,
      eventId: stop.eventId,
      patch: { reason: stop.reason },
    });
    if (moved) cancelled += 1;
  }
  return cancelled;
}

async function withdrawCards(tx: Tx, taskId: string, stop: Stop): Promise<number> {
  const open = await tx
    .select()
    .from(approvals)
    .where(and(eq(approvals.taskId, taskId), eq(approvals.status, 'pending')));
  for (const approval of open) await withdrawApproval(tx, approval, stop);
  return open.length;
}
