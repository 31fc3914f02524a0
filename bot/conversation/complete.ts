import type { Db } from '../../shared/db/client.ts';
import { readNow } from '../../shared/db/clock.ts';
import { hasWaitingMessages } from '../../shared/db/messages.ts';
import { lockTask } from '../../shared/db/tasks.ts';
import type { TaskOutcome } from '../../shared/domain/task.ts';
import { closeTask, openWork } from './places.ts';

/** Closes a task for the agent; answers why not while something of it is still open (K11). */
export function completeTask(
  db: Db,
  taskId: string,
  agent: string,
  end: { outcome: TaskOutcome; summary: string },
): Promise<string | undefined> {
  return db.transaction(async (tx) => {
    const task = await lockTask(tx, taskId);
    if (!task) return 'the task no longer exists';
    const open = await openWork(tx, taskId);
    if (open > 0) return `${open} cards or commands of this task are still open`;
    if (await hasWaitingMessages(tx, taskId)) {
      return 'the operator has said something that you have not read yet; it follows';
    }
    const now = await readNow(tx);
    await closeTask(tx, task, { status: 'done', ...end, by: `agent:${agent}`, now });
    return undefined;
  });
}
