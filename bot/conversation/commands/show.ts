import { asc, eq } from 'drizzle-orm';
import { approvalOfExecution } from '../../../shared/db/approvals.ts';
import type { Db } from '../../../shared/db/client.ts';
import { executions } from '../../../shared/db/schema.ts';
import type { TaskRow } from '../../../shared/db/tasks.ts';
import { commandSummary } from '../../cards/command-text.ts';
import { timeText } from '../../cards/time-text.ts';
import { type Command, saying } from './command.ts';
import { numberedExecution, numberedTask, readNumber, readTaskNumber } from './references.ts';
import { titleOf } from './task-title.ts';

const MOST = 20;

/** A card with its whole output, or what happened in a task. */
export const show: Command = {
  names: ['show'],
  usage: 'show #7 | T3',
  about: 'card #7 again with its whole output, or what task T3 did',
  operatorsOnly: false,
  async run({ deps, text: { roomId }, words }) {
    const taskNumber = readTaskNumber(words[0]);
    if (taskNumber !== undefined) {
      const task = await numberedTask(deps.db, roomId, taskNumber);
      if (!task) return saying(`This room has no task T${taskNumber}.`);
      return saying(await taskText(deps.db, task, deps.timeZone));
    }
    const number = readNumber(words[0]);
    if (number === undefined) return saying('Say !oikos show #7 or !oikos show T3.');
    const execution = await numberedExecution(deps.db, roomId, number);
    if (!execution) return saying(`This room has no #${number}.`);
    const approval = await approvalOfExecution(deps.db, execution.id);
    return { show: { executionId: execution.id, approvalId: approval?.id ?? null } };
  },
};

async function taskText(db: Db, task: TaskRow, timeZone: string): Promise<string> {
  const rows = await db
    .select()
    .from(executions)
    .where(eq(executions.taskId, task.id))
    .orderBy(asc(executions.proposedAt));
  const lines = rows.slice(-MOST).map(({ number, command, targetSlug, status }) => {
    const name = number === null ? 'looked' : `#${number}`;
    return `- ${name} (${status}) ${commandSummary(command)} on ${targetSlug}`;
  });
  const hidden = rows.length - lines.length;
  return [
    `T${task.number} (${task.outcome ?? task.status}): ${await titleOf(db, task)}`,
    `Asked: ${task.goal.split('\n')[0]?.slice(0, 200)}`,
    `Begun ${timeText(task.createdAt, timeZone)}${task.closedAt ? `, closed ${timeText(task.closedAt, timeZone)}` : ''}.`,
    ...(hidden > 0 ? [`… ${hidden} earlier commands`] : []),
    ...lines,
  ].join('\n');
}
