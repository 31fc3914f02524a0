import { revokedLine, ruleList } from '../../bot/cards/rule-lines.ts';
import type { Db } from '../../shared/db/client.ts';
import { readNow } from '../../shared/db/clock.ts';
import { liveRules } from '../../shared/db/rules.ts';
import { revokeRule } from '../../shared/rules.ts';

/** What is always allowed now, as `!oikos rules` shows it in the room. */
export async function listRules(db: Db, timeZone: string): Promise<string> {
  return ruleList(await liveRules(db, await readNow(db)), timeZone);
}

/** Ends the rule of that name; `done` is false where there is nothing to end. */
export async function revokeNamed(
  db: Db,
  named: string,
): Promise<{ readonly done: boolean; readonly line: string }> {
  const number = /^r(\d{1,9})$/i.exec(named)?.[1];
  if (number === undefined) return { done: false, line: `${named} is no rule; they are like R1` };
  const answer = await revokeRule(db, { number: Number(number), by: 'cli' });
  switch (answer.kind) {
    case 'revoked':
      return { done: true, line: revokedLine(answer.rule) };
    case 'already':
      return { done: false, line: `R${number} was revoked before` };
    case 'unknown':
      return { done: false, line: `there is no R${number}; oikos rules list shows what there is` };
  }
}
