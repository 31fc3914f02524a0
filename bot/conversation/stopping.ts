import { readNow } from '../../shared/db/clock.ts';
import type { InboxRow } from '../../shared/db/inbox.ts';
import { liveTasks, openTasks, type TaskRow } from '../../shared/db/tasks.ts';
import { closeWindows, stopTask } from '../../shared/stop.ts';
import { eventMessage } from '../agent/prompt.ts';
import type { ConversationDeps } from './deps.ts';
import { noteForNextTurn } from './notes.ts';
import type { Place } from './places.ts';

export interface Stopping extends ConversationDeps {
  /** Ends what the model is busy with in these tasks. */
  readonly interrupt: (taskIds: readonly string[]) => void;
}

/**
 * Stops what `stop` is about: in the main timeline all tasks of the room, in a thread that one (K6).
 * Answers what the room is told.
 */
export async function stopPlace(deps: Stopping, row: InboxRow, place: Place): Promise<string> {
  const counts = { withdrawn: 0, cancelled: 0, stopping: 0, windows: 0 };
  for (const task of await stoppable(deps, row.roomId, place)) {
    // The rows come first: a turn that is broken off finds in them that it was stopped.
    const stopped = await stopTask(deps.db, task.id, row.sender, row.eventId);
    deps.interrupt([task.id]);
    await tellAgent(deps, task);
    counts.withdrawn += stopped.withdrawn;
    counts.cancelled += stopped.cancelled;
    counts.stopping += stopped.stopping;
    counts.windows += stopped.windows;
  }
  const done = [
    counts.stopping > 0 ? `ending ${plural(counts.stopping, 'running command')}` : '',
    counts.cancelled > 0 ? `cancelled ${plural(counts.cancelled, 'queued command')}` : '',
    counts.withdrawn > 0 ? `withdrew ${plural(counts.withdrawn, 'card')}` : '',
    counts.windows > 0 ? `closed ${plural(counts.windows, 'window')}` : '',
  ].filter((part) => part !== '');
  return `Stopped${done.length > 0 ? `: ${done.join(', ')}` : '; nothing was running or waiting'}.`;
}

/** A no or a wait closes the windows of its place; answers what the room is told, if any was open. */
export async function takeRoomBack(
  deps: Stopping,
  row: InboxRow,
  place: Place,
): Promise<string | undefined> {
  const here: Place = place.kind === 'main' ? { kind: 'thread', root: '' } : place;
  let [windows, cancelled] = [0, 0];
  for (const task of await tasksOf(deps, row.roomId, here)) {
    const closed = await closeWindows(deps.db, task.id, row.sender, row.eventId);
    windows += closed?.windows ?? 0;
    cancelled += closed?.cancelled ?? 0;
  }
  if (windows === 0) return undefined;
  const also = cancelled > 0 ? `, and cancelled ${plural(cancelled, 'queued command')}` : '';
  return `Your earlier yes covers nothing more${also}: what changes something asks again.`;
}

/** Also a closed task may have a turn or a run left over. */
async function stoppable(deps: Stopping, roomId: string, place: Place): Promise<TaskRow[]> {
  if (place.kind === 'task') return [place.task];
  return liveTasks(deps.db, roomId, place.kind === 'thread' ? place.root : undefined);
}

async function tasksOf(deps: Stopping, roomId: string, place: Place): Promise<TaskRow[]> {
  if (place.kind === 'task') return [place.task];
  return openTasks(deps.db, roomId, place.kind === 'thread' ? place.root : undefined);
}

async function tellAgent(deps: Stopping, task: TaskRow): Promise<void> {
  const line = 'The operator said stop: what was asked before this is called off';
  await deps.db.transaction(async (tx) =>
    noteForNextTurn(tx, {
      taskId: task.id,
      content: eventMessage([{ line }]),
      at: await readNow(tx),
    }),
  );
}

function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
