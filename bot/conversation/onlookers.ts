import { pendingCards } from '../../shared/db/approvals.ts';
import type { Tx } from '../../shared/db/client.ts';
import { isListed, markWarned, whyUndecided } from '../../shared/db/rooms.ts';
import { looksLikeDecision } from '../assent/explain.ts';
import type { Heard } from './decisions.ts';
import type { ConversationDeps } from './deps.ts';
import type { IncomingText } from './ports.ts';
import { say } from './speak.ts';

/** Words of somebody who may not decide here: talk, with a line where they looked like a decision. */
export async function hearOnlooker(deps: ConversationDeps, text: IncomingText): Promise<Heard> {
  if (!looksLikeDecision(text.body)) return { kind: 'talk' };
  const waiting = await pendingCards(deps.db, text.roomId);
  if (waiting.length === 0) return { kind: 'talk' };
  return { kind: 'explained', line: `Nothing ran: ${await whyNot(deps, text)}.` };
}

async function whyNot(deps: ConversationDeps, text: IncomingText): Promise<string> {
  if (!deps.isOperator(text.sender)) return 'only an operator can decide that';
  const undecided = await whyUndecided(deps.db, text.roomId, deps.seals);
  return undecided === undefined
    ? 'what comes over a bridge decides nothing'
    : `decisions do not count here, because ${undecided}`;
}

/** A room that is not on the list is told so once, with the way onto it. */
export async function warnOfList(
  { operators, seals }: Pick<ConversationDeps, 'operators' | 'seals'>,
  tx: Tx,
  roomId: string,
  now: Date,
): Promise<void> {
  if (operators.length === 0 || (await isListed(tx, roomId, seals))) return;
  if (!(await markWarned(tx, roomId, now))) return;
  const text = `This room is not on the operators' list: I look and answer here, and nothing can be approved. To change that, run this where Oikos is installed: npm run oikos -- room add '${roomId}'`;
  await say(tx, { roomId, taskId: null, text, now });
}
