import { liveTasks } from '../../../shared/db/tasks.ts';
import { closeWindows } from '../../../shared/stop.ts';
import { answerRevoke } from '../rules-commands.ts';
import { type Command, saying } from './command.ts';
import { numberedTask, readTaskNumber } from './references.ts';

/** Closes windows and cancels what waits for its start; cards stay open. */
export const revoke: Command = {
  names: ['revoke'],
  usage: 'revoke [T3 | R1]',
  about: 'closes the open windows of the room or of one task, or ends rule R1',
  operatorsOnly: true,
  async run({ deps, row, text, words }) {
    const { roomId } = text;
    if (/^r\d+$/i.test(words[0] ?? '')) return saying(await answerRevoke(deps, text, words[0]));
    const number = readTaskNumber(words[0]);
    if (words[0] !== undefined && number === undefined) {
      return saying('Say !oikos revoke, or !oikos revoke T3 for one task.');
    }
    const task = number === undefined ? undefined : await numberedTask(deps.db, roomId, number);
    if (number !== undefined && !task) return saying(`This room has no task T${number}.`);
    const tasks = task ? [task] : await liveTasks(deps.db, roomId);
    let windows = 0;
    let cancelled = 0;
    for (const { id } of tasks) {
      const closed = await closeWindows(deps.db, id, row.sender, row.eventId);
      windows += closed?.windows ?? 0;
      cancelled += closed?.cancelled ?? 0;
    }
    if (windows === 0) return saying('No window was open.');
    const also = cancelled > 0 ? `, and cancelled ${cancelled} queued` : '';
    return saying(`Closed ${windows}${also}: what changes something asks again.`);
  },
};
