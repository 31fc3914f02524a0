import { and, eq, isNotNull, isNull, notInArray } from 'drizzle-orm';
import type { Tx } from '../../shared/db/client.ts';
import { readNow } from '../../shared/db/clock.ts';
import { type MessageRow, waitingMessages } from '../../shared/db/messages.ts';
import { announce } from '../../shared/db/outbox.ts';
import { agentSessions, approvals, executions, outbox, turns } from '../../shared/db/schema.ts';
import { lockTask, type TaskRow } from '../../shared/db/tasks.ts';
import { queueTurn, type TurnRow } from '../../shared/db/turns.ts';
import { storableText } from '../../shared/storable.ts';
import type { TurnStatus } from '../agent/turn-ports.ts';
import { type ContinuationDeps, continueTask } from './continuation.ts';
import { HOUSE } from './history.ts';

export interface TurnEnd {
  readonly status: TurnStatus;
  readonly text: string;
  readonly error?: { readonly forPeople: string };
  readonly steps?: number;
  readonly usage?: { readonly promptTokens: number; readonly completionTokens: number };
}

/**
 * Ends a turn in one transaction with everything that follows from it: its answer and its cards for
 * the room, and the next turn where something was said or ended meanwhile.
 */
export async function endTurn(deps: ContinuationDeps, turn: TurnRow, end: TurnEnd): Promise<void> {
  await deps.db.transaction(async (tx) => {
    const now = await readNow(tx);
    const task = await lockTask(tx, turn.taskId);
    if (!task) throw new Error(`turn ${turn.id} has no task`);
    const ended = await tx
      .update(turns)
      .set({
        status: 'ended',
        outcome: end.status,
        answer: storableText(deps.redact(end.text)),
        error: end.error?.forPeople ?? null,
        steps: end.steps ?? turn.steps,
        promptTokens: end.usage?.promptTokens ?? 0,
        completionTokens: end.usage?.completionTokens ?? 0,
        endedAt: now,
      })
      .where(and(eq(turns.id, turn.id), eq(turns.status, 'running')))
      .returning({ id: turns.id });
    if (ended.length === 0) return;
    const about = { roomId: task.roomId, taskId: task.id, turnId: turn.id, at: now };
    await announce(tx, { ...about, type: 'turn.ended' });
    const cards = await announceCards(tx, task, now);
    await setStatus(tx, task, cards > 0 ? 'waiting' : 'open');
    await goOn(deps, tx, task, turn, now);
  });
}

/**
 * Cards are the last thing that a turn posts: their rows follow the answer's in the outbox. Answers
 * how many wait; `only` announces one of them.
 */
export async function announceCards(
  tx: Tx,
  task: Pick<TaskRow, 'id' | 'roomId'>,
  now: Date,
  only?: string,
): Promise<number> {
  const announced = tx
    .select({ id: outbox.executionId })
    .from(outbox)
    .where(
      and(
        eq(outbox.taskId, task.id),
        eq(outbox.type, 'execution.waiting'),
        isNotNull(outbox.executionId),
        isNull(outbox.failedReason),
      ),
    );
  const open = and(eq(approvals.taskId, task.id), eq(approvals.status, 'pending'));
  const unseen = await tx
    .select({ approval: approvals })
    .from(approvals)
    .innerJoin(executions, eq(executions.id, approvals.executionId))
    // One that the room is about to be told of needs no second card.
    .where(
      and(
        open,
        isNull(executions.cardEvent),
        notInArray(executions.id, announced),
        only === undefined ? undefined : eq(executions.id, only),
      ),
    )
    .orderBy(executions.number);
  for (const { approval } of unseen) {
    await announce(tx, {
      type: 'execution.waiting',
      roomId: task.roomId,
      taskId: task.id,
      executionId: approval.executionId,
      approvalId: approval.id,
      at: now,
    });
  }
  return tx.$count(approvals, open);
}

async function setStatus(tx: Tx, task: TaskRow, status: 'open' | 'waiting'): Promise<void> {
  if (task.status === 'done' || task.status === 'abandoned') return;
  await tx.update(agentSessions).set({ status }).where(eq(agentSessions.id, task.id));
}

/** Words that came while the last answer was written, or ends that nobody was told of. */
async function goOn(
  deps: ContinuationDeps,
  tx: Tx,
  task: TaskRow,
  turn: TurnRow,
  now: Date,
): Promise<void> {
  const waiting = await waitingMessages(tx, task.id);
  if (waiting.length > 0) {
    const queued = await tx
      .select({ id: turns.id })
      .from(turns)
      .where(and(eq(turns.taskId, task.id), eq(turns.status, 'queued'), isNull(turns.startedAt)));
    if (queued.length === 0) {
      await queueTurn(tx, {
        taskId: task.id,
        trigger: 'message',
        ...askedBy(waiting, turn),
        stopEpoch: task.stopEpoch,
        sourceEvent: turn.sourceEvent,
        now,
      });
    }
  }
  await continueTask(deps, tx, task);
}

/** A turn belongs to whoever spoke last, and serves no window once anybody spoke who may not decide. */
function askedBy(
  waiting: readonly MessageRow[],
  before: TurnRow,
): Pick<TurnRow, 'requestedBy' | 'byOperator'> {
  const people = waiting.filter(({ sender }) => sender !== null && sender !== HOUSE);
  const last = people.at(-1)?.sender;
  if (last == null) return { requestedBy: before.requestedBy, byOperator: before.byOperator };
  const byOperator = people.every(({ origins }) => !origins.includes('viewer'));
  return { requestedBy: last, byOperator };
}
