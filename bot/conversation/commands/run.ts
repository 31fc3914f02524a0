import { eq } from 'drizzle-orm';
import type { Db } from '../../../shared/db/client.ts';
import { readNow } from '../../../shared/db/clock.ts';
import type { ExecutionRow } from '../../../shared/db/executions.ts';
import { executions } from '../../../shared/db/schema.ts';
import { commandTurn } from '../../../shared/db/turns.ts';
import { propose } from '../../../shared/propose.ts';
import { headline } from '../../agent/tools/execution-text.ts';
import { announceCards } from '../end-turn.ts';
import { taskFor } from '../places.ts';
import { type Command, saying } from './command.ts';

/**
 * The operator's own command: the same gate, the same cards, no model. The agent hears of its end
 * with the next turn.
 */
export const run: Command = {
  names: ['run'],
  usage: 'run TARGET COMMAND',
  about: 'your own command through the same gate and cards, without the model',
  operatorsOnly: true,
  async run({ deps, text, place, rest }) {
    const [, target, command] = /^(\S+)\s+([\s\S]+)$/.exec(rest) ?? [];
    if (target === undefined || command === undefined) {
      return saying('Say !oikos run lxc:web uptime.');
    }
    const { roomId, sender, eventId } = text;
    const turn = await deps.db.transaction(async (tx) => {
      const now = await readNow(tx);
      const opening = { roomId, place, agent: deps.agent, goal: rest, by: sender, now };
      return commandTurn(tx, await taskFor(tx, opening), { sender, eventId, now });
    });
    const { db, ring } = deps;
    // Commands wait for nothing: a daemon that must look at files first shows the card itself.
    const waitForLook = async (id: string) => {
      const [row] = await db.select().from(executions).where(eq(executions.id, id));
      if (!row) throw new Error(`no execution ${id}`);
      return row;
    };
    const answer = await propose(
      { db, ring, waitForLook },
      {
        taskId: turn.taskId,
        turnId: turn.id,
        callKey: `command:${eventId}`,
        target,
        command,
        purpose: '',
      },
    );
    switch (answer.kind) {
      case 'refused': {
        const hint = answer.hint ? ` Hint: ${answer.hint}.` : '';
        return saying(`Refused, nothing ran: ${answer.reasons.join('; ')}.${hint}`);
      }
      case 'duplicate':
        return saying(`The same is already there: ${headline(answer.execution)}.`);
      case 'waiting':
        await showCard(deps.db, answer.execution);
        return {};
      case 'split':
        for (const part of answer.executions) await showCard(deps.db, part);
        return {};
      case 'started':
        return {};
      default:
        return answer satisfies never;
    }
  },
};

async function showCard(db: Db, { id, taskId, roomId }: ExecutionRow): Promise<void> {
  await db.transaction(async (tx) => {
    await announceCards(tx, { id: taskId, roomId }, await readNow(tx), id);
  });
}
