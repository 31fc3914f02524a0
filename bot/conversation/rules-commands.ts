import { readNow } from '../../shared/db/clock.ts';
import { liveRules } from '../../shared/db/rules.ts';
import { revokeRule } from '../../shared/rules.ts';
import { revokedLine, ruleList } from '../cards/rule-lines.ts';
import type { ConversationDeps } from './deps.ts';
import type { IncomingText } from './ports.ts';

/** `!oikos rules`: what is always allowed now. */
export async function answerRules({ db, timeZone }: ConversationDeps): Promise<string> {
  return ruleList(await liveRules(db, await readNow(db)), timeZone);
}

/** `!oikos revoke R1`. */
export async function answerRevoke(
  { db }: ConversationDeps,
  { sender, eventId }: IncomingText,
  named: string | undefined,
): Promise<string> {
  const number = /^r(\d{1,9})$/i.exec(named ?? '')?.[1];
  if (number === undefined) return 'Say which rule: !oikos revoke R1. !oikos rules shows them.';
  const answer = await revokeRule(db, { number: Number(number), by: sender, eventId });
  switch (answer.kind) {
    case 'revoked':
      return revokedLine(answer.rule);
    case 'already':
      return `R${number} was revoked before.`;
    case 'unknown':
      return `There is no R${number}. !oikos rules shows what there is.`;
    default:
      return answer satisfies never;
  }
}
