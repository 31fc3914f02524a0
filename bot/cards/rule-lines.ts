import {
  RULE_OFFER_LIFE_MS,
  type StandingRule,
  UNUSED_RULE_LIFE_MS,
} from '../../shared/domain/rule.ts';
import { describeTarget } from '../../shared/domain/target.ts';
import type { UsedRule } from '../../shared/domain/verdict.ts';
import { argvText } from '../../shared/gate/argv.ts';
import { commandSummary } from './command-text.ts';
import { dateText } from './time-text.ts';

const UNUSED_DAYS = UNUSED_RULE_LIFE_MS / (24 * 60 * 60_000);
const OFFER_MINUTES = RULE_OFFER_LIFE_MS / 60_000;

/** The one sentence that makes a shown rule count. */
export function ruleSentence(rule: Pick<StandingRule, 'number'>): string {
  return `I confirm rule R${rule.number}`;
}

/** A rule that counts from now on. */
export function allowedLine(rule: StandingRule): string {
  return `R${rule.number} counts from now on: ${whatOf(rule)} runs at once, ${capOf(rule)}. ${limits(rule)}`;
}

/** The exact rule, with what to type: nothing counts before that. */
export function offeredLine(rule: StandingRule): string {
  return `R${rule.number} would let this run at once, ${capOf(rule)}: ${whatOf(rule)}. ${limits(rule)} Nothing counts yet. To make it count, type within ${OFFER_MINUTES} minutes: ${ruleSentence(rule)}`;
}

export function alreadyLine(rule: StandingRule): string {
  return `R${rule.number} allows that already: ${whatOf(rule)}, ${capOf(rule)}. To have it otherwise, say !oikos revoke R${rule.number} first.`;
}

export function revokedLine(rule: StandingRule): string {
  return `R${rule.number} no longer counts: ${whatOf(rule)} asks again.`;
}

/** What is always allowed now, one line each. */
export function ruleList(rules: readonly UsedRule[], timeZone: string): string {
  if (rules.length === 0) {
    return 'Nothing is always allowed. After a card ran well, always allow #N makes a rule of it.';
  }
  const lines = rules.map(({ rule, uses }) => {
    const { number, kind, allowedBy, allowedAt, lastUsedAt } = rule;
    const since = allowedAt ? ` on ${dateText(allowedAt, timeZone)}` : '';
    const last = lastUsedAt ? `, last used on ${dateText(lastUsedAt, timeZone)}` : ', not used yet';
    return `- R${number} (${kind}): ${whatOf(rule)}, ${capOf(rule)}, ${uses} of them in the last 24 hours; allowed by ${allowedBy}${since}${last}`;
  });
  return [...lines, '!oikos revoke R1 ends one.'].join('\n');
}

function whatOf({ argv, identity }: StandingRule): string {
  return `\`${commandSummary(argvText(argv)).replaceAll('`', "'")}\` on ${describeTarget(identity.target)}`;
}

function capOf({ dailyCap }: StandingRule): string {
  return dailyCap === 1 ? 'at most once in 24 hours' : `at most ${dailyCap} times in 24 hours`;
}

function limits({ number }: StandingRule): string {
  return `Only these exact words on this very machine, for work that an operator asked for, and not after text from elsewhere was read. It ends with !oikos revoke R${number}, or after ${UNUSED_DAYS} days without use.`;
}
