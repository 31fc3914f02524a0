import { and, eq, gt } from 'drizzle-orm';
import { audit } from '../../../shared/db/audit.ts';
import type { Tx } from '../../../shared/db/client.ts';
import { readNow } from '../../../shared/db/clock.ts';
import { forgetTask } from '../../../shared/db/forget-task.ts';
import { auditEvents } from '../../../shared/db/schema.ts';
import { lockTask } from '../../../shared/db/tasks.ts';
import { liveTurn } from '../../../shared/db/turns.ts';
import { openWork } from '../places.ts';
import { type Command, saying } from './command.ts';
import { numberedTask, readTaskNumber } from './references.ts';

const PATIENCE_MS = 10 * 60_000;

/** Removes what was said and printed in a task; what ran and who decided it stays in the ledger. */
export const deleteTask: Command = {
  names: ['delete'],
  usage: 'delete T3',
  about: 'forgets what was said and printed in T3; asks a second time',
  operatorsOnly: true,
  async run({ deps, text: { roomId, sender, eventId }, words }) {
    const number = readTaskNumber(words[0]);
    if (number === undefined) return saying('Say !oikos delete T3.');
    const found = await numberedTask(deps.db, roomId, number);
    if (!found) return saying(`This room has no task T${number}.`);
    return deps.db.transaction(async (tx) => {
      const task = await lockTask(tx, found.id);
      if (!task) return saying(`T${number} is deleted.`);
      if ((await openWork(tx, task.id)) > 0 || (await liveTurn(tx, task.id))) {
        return saying(`T${number} is still at work: say stop first.`);
      }
      const now = await readNow(tx);
      const about = { at: now, actor: sender, taskId: task.id, eventId };
      const asked = await wasAsked(tx, task.id, sender, new Date(now.getTime() - PATIENCE_MS));
      if (words[1]?.toLowerCase() !== 'really' || !asked) {
        await audit(tx, { ...about, kind: 'task.delete_asked' });
        return saying(
          `This forgets all that was said and printed in T${number}, for good; what ran and who decided it stays in the ledger. Say !oikos delete T${number} really within 10 minutes.`,
        );
      }
      await forgetTask(tx, task.id);
      await audit(tx, { ...about, kind: 'task.deleted', data: { number } });
      return saying(`T${number} is deleted.`);
    });
  },
};

async function wasAsked(tx: Tx, taskId: string, by: string, since: Date): Promise<boolean> {
  const rows = await tx
    .select({ seq: auditEvents.seq })
    .from(auditEvents)
    .where(
      and(
        eq(auditEvents.kind, 'task.delete_asked'),
        eq(auditEvents.taskId, taskId),
        eq(auditEvents.actor, by),
        gt(auditEvents.at, since),
      ),
    );
  return rows.length > 0;
}
