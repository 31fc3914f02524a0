import { executionOfEvent } from '../../shared/db/approvals.ts';
import { type ExecutionRow, executionByNumber } from '../../shared/db/executions.ts';
import { allowAlways, confirmRule, type RuleAnswer } from '../../shared/rules.ts';
import type { AlwaysAllow } from '../assent/always-allow.ts';
import { allowedLine, alreadyLine, offeredLine } from '../cards/rule-lines.ts';
import type { ConversationDeps } from './deps.ts';
import type { IncomingText } from './ports.ts';

/** What the room hears, and the rule that it is shown to be confirmed. */
export interface RuleLine {
  readonly text: string;
  readonly offers?: string;
}

/** Makes, shows or confirms the rule that an operator's words ask for; says in one line why not. */
export async function hearAlwaysAllow(
  deps: ConversationDeps,
  text: IncomingText,
  wish: Exclude<AlwaysAllow, { is: 'other' }>,
): Promise<RuleLine> {
  if (wish.is === 'unclear') return noRule(wish.why);
  const { roomId, sender: by, eventId, seq } = text;
  if (wish.is === 'confirm') {
    return lineOf(await confirmRule(deps, { number: wish.number, by, roomId, eventId, seq }));
  }
  const request = { agent: deps.agent, roomId, by, eventId, dailyCap: wish.dailyCap };
  if (wish.is === 'command') return lineOf(await allowAlways(deps, request, wish));
  const card =
    wish.is === 'card'
      ? await executionByNumber(deps.db, roomId, wish.number)
      : await repliedTo(deps, text);
  if (!card) {
    const missing = wish.is === 'card' ? `there is no #${wish.number} in this room` : NO_REPLY;
    return noRule(missing);
  }
  return lineOf(await allowAlways(deps, request, { executionId: card.id }));
}

const NO_REPLY = 'say which card: always allow #4, or as a reply to the card';

async function repliedTo(
  { db }: ConversationDeps,
  { roomId, replyTo, threadRoot }: IncomingText,
): Promise<ExecutionRow | undefined> {
  const target = replyTo ?? threadRoot;
  const execution = target === undefined ? undefined : await executionOfEvent(db, target);
  return execution?.roomId === roomId ? execution : undefined;
}

function lineOf(answer: RuleAnswer): RuleLine {
  switch (answer.kind) {
    case 'allowed':
      return { text: allowedLine(answer.rule) };
    case 'offered':
      return { text: offeredLine(answer.rule), offers: answer.rule.id };
    case 'already':
      return { text: alreadyLine(answer.rule) };
    case 'refused':
      return noRule(answer.reason);
    default:
      return answer satisfies never;
  }
}

function noRule(why: string): RuleLine {
  return { text: `I made no rule of that: ${why}.` };
}
