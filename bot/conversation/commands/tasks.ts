import { desc, eq } from 'drizzle-orm';
import { agentSessions } from '../../../shared/db/schema.ts';
import { type Command, saying } from './command.ts';
import { titleOf } from './task-title.ts';

const MOST = 10;

/** The room's latest tasks. */
export const tasks: Command = {
  names: ['tasks'],
  usage: 'tasks',
  about: 'the latest tasks of this room',
  operatorsOnly: false,
  async run({ deps, text: { roomId } }) {
    const rows = await deps.db
      .select()
      .from(agentSessions)
      .where(eq(agentSessions.roomId, roomId))
      .orderBy(desc(agentSessions.number))
      .limit(MOST);
    if (rows.length === 0) return saying('This room has had no task yet.');
    const lines: string[] = [];
    for (const task of rows) {
      const end = task.outcome ? `${task.status}, ${task.outcome}` : task.status;
      lines.push(`- T${task.number} (${end}): ${await titleOf(deps.db, task)}`);
    }
    return saying(lines.join('\n'));
  },
};
