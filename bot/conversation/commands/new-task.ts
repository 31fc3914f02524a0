import { readNow } from '../../../shared/db/clock.ts';
import { lockTask, openTasks } from '../../../shared/db/tasks.ts';
import { closeTask, openWork } from '../places.ts';
import { type Command, saying } from './command.ts';

/** Closes the task of this place, so that the next words begin a fresh one. */
export const newTask: Command = {
  names: ['new'],
  usage: 'new',
  about: 'closes the task of this place; your next words begin a fresh one',
  operatorsOnly: true,
  async run({ deps, row, text: { roomId, sender }, place }) {
    const root = place.kind === 'thread' ? place.root : null;
    const [open] = place.kind === 'task' ? [place.task] : await openTasks(deps.db, roomId, root);
    if (!open) return saying('Your next words begin a fresh task.');
    return deps.db.transaction(async (tx) => {
      const task = await lockTask(tx, open.id);
      if (!task || task.closedAt) return saying('Your next words begin a fresh task.');
      const work = await openWork(tx, task.id);
      if (work > 0) {
        return saying(
          `T${task.number} still has ${work} cards or commands open: answer them, or say stop first.`,
        );
      }
      const now = await readNow(tx);
      await closeTask(tx, task, { status: 'abandoned', by: sender, now });
      deps.log.info({ taskId: task.id, eventId: row.eventId }, 'a task was closed by command');
      return saying(`T${task.number} is closed; your next words begin a fresh task.`);
    });
  },
};
