import { eq } from 'drizzle-orm';
import type { Tx } from '../../shared/db/client.ts';
import { addUserMessage } from '../../shared/db/messages.ts';
import { agentSessions } from '../../shared/db/schema.ts';
import { lockTask, type TaskRow } from '../../shared/db/tasks.ts';
import { liveTurn, queueTurn } from '../../shared/db/turns.ts';
import { revokeForeignWindows } from '../../shared/db/windows.ts';
import type { Origin } from '../../shared/domain/origin.ts';
import { isOpen, type Place, taskFor } from './places.ts';

export interface Spoken {
  readonly roomId: string;
  readonly place: Place;
  readonly agent: string;
  readonly sender: string;
  /** Somebody who may decide here; what others ask for never uses a window. */
  readonly byOperator: boolean;
  readonly body: string;
  readonly eventId: string;
  readonly now: Date;
}

/**
 * Stores what an operator said to the agent and makes sure that a turn will read it: the running
 * one between two tool calls, the queued one, or a new one. One transaction with the inbox mark.
 */
export async function hearMessage(tx: Tx, spoken: Spoken): Promise<TaskRow> {
  const { roomId, place, agent, sender, byOperator, body, eventId, now } = spoken;
  const opening = { roomId, place, agent, goal: body, by: sender, now };
  const found = await taskFor(tx, opening);
  const locked = (await lockTask(tx, found.id)) ?? found;
  // The agent may have closed it in between: then these words begin the next one.
  const task = isOpen(locked)
    ? locked
    : await taskFor(tx, { ...opening, place: placeOfTask(locked) });
  await tx
    .update(agentSessions)
    .set({ status: 'open', lastActiveAt: now, continuations: 0 })
    .where(eq(agentSessions.id, task.id));
  const origins: Origin[] = byOperator ? [] : ['viewer'];
  await addUserMessage(tx, {
    taskId: task.id,
    content: body,
    at: now,
    sender,
    eventId,
    ...(origins.length > 0 && { origins }),
  });
  await revokeForeignWindows(tx, task.id, origins, now);
  if (!(await liveTurn(tx, task.id))) {
    await queueTurn(tx, {
      taskId: task.id,
      trigger: 'message',
      requestedBy: sender,
      byOperator,
      stopEpoch: task.stopEpoch,
      sourceEvent: eventId,
      now,
    });
  }
  return task;
}

function placeOfTask({ threadRoot }: TaskRow): Place {
  return threadRoot === null ? { kind: 'main' } : { kind: 'thread', root: threadRoot };
}
