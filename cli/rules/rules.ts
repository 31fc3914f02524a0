import { revokedLine, ruleList } from '../../bot/cards/rule-lines.ts';
import type { Db } from '../../shared/db/client.ts';
import { readNow } from '../../shared/db/clock.ts';
import { liveRules } from '../../shared/db/rules.ts';
import { revokeRule } from '../../shared/rules.ts';

/** What is always allowed now, as `!oikos rules` shows it in the room. */
export async function listRules(db: Db, timeZone: string): Promise<string> {
  return ruleList(await liveRules(db, await readNow(db)), timeZone);
}

/** `R1` or `r1` as the number of a rule; undefined for anything else. */
export function ruleNumber(written: string): number | undefined {
  const digits = /^r(\d{1,9})$/i.exec(written)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

/** Ends the rule of that number; `done` is false where there is nothing to end. */
export async function revokeNumbered(
  db: Db,
  number: number,
  by: string,
): Promise<{ readonly done: boolean; readonly line: string }> {
  const answer = await revokeRule(db, { number, by });
  switch (answer.kind) {
    case 'revoked':
      return { done: true, line: revokedLine(answer.rule) };
    case 'already':
      return { done: false, line: `R${number} was revoked before` };
    case 'unknown':
      return { done: false, line: `there is no R${number}; oikos rules list shows what there is` };
  }
}
