import { approvalOfExecution } from '../../../shared/db/approvals.ts';
import { taskById } from '../../../shared/db/tasks.ts';
import { hearDecision } from '../decisions.ts';
import { type Command, type CommandCall, type CommandReply, saying } from './command.ts';
import { numberedExecution, readNumber } from './references.ts';

/** `yes #7` with the command's mark: the same rules, wherever the card is. */
export const approve: Command = {
  names: ['approve', 'yes'],
  usage: 'approve 7',
  about: 'says yes to card #7; one that destroys something still needs its typed sentence',
  operatorsOnly: true,
  run: (call) => decideByNumber(call, 'yes'),
};

export const deny: Command = {
  names: ['deny', 'no'],
  usage: 'deny 7 [WHY]',
  about: 'says no to card #7; the agent is told why',
  operatorsOnly: true,
  run: (call) => decideByNumber(call, 'no'),
};

/** Characters; it stands on one line for the agent. */
const MAX_WHY = 200;

async function decideByNumber(call: CommandCall, word: 'yes' | 'no'): Promise<CommandReply> {
  const { deps, text, words } = call;
  const number = readNumber(words[0]);
  const why = call.rest
    .trim()
    .slice(words[0]?.length ?? 0)
    .replace(/\s+/g, ' ')
    .trim();
  if (number === undefined || (why !== '' && word === 'yes')) {
    return saying(`Name one card: !oikos ${word === 'yes' ? 'approve' : 'deny'} 7.`);
  }
  const execution = await numberedExecution(deps.db, text.roomId, number);
  const approval = execution && (await approvalOfExecution(deps.db, execution.id));
  const task = execution && (await taskById(deps.db, execution.taskId));
  if (!(execution && approval && task)) return saying(`This room has no card #${number}.`);
  const { msgtype, roomId, seq, eventId, sender, at, receivedAt } = text;
  const said = { kind: 'text', msgtype, roomId, seq, eventId, sender, at, receivedAt } as const;
  const body = `${word} #${number}`;
  const heard = await hearDecision(
    deps,
    { ...said, body },
    { kind: 'task', task },
    [...why].slice(0, MAX_WHY).join(''),
  );
  if (heard.kind === 'talk') return saying(`#${number} waits no more: it is ${execution.status}.`);
  return { text: heard.line };
}
