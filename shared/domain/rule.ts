import { needsFacts } from './content.ts';
import type { GateResult } from './gate-result.ts';
import { isStricter } from './risk.ts';
import { describeTarget, hostOf, type Target } from './target.ts';
import { NEVER_UNDER_A_WINDOW } from './window.ts';

/** A pattern lets one reversible_low command run at once; a rule one config_mutation in one guest. */
export const RULE_KINDS = ['pattern', 'rule'] as const;
export type RuleKind = (typeof RULE_KINDS)[number];

/** Uses a day where the operator names none, and the most that may be named. */
export const DEFAULT_DAILY_CAP = 6;
export const MAX_DAILY_CAP = 24;
/** A day is the last 24 hours: no midnight at which twice as much may run. */
export const CAP_PERIOD_MS = 24 * 60 * 60_000;
/** Nobody remembers what was allowed long ago and not used since. */
export const UNUSED_RULE_LIFE_MS = 90 * CAP_PERIOD_MS;
/** How long a shown rule waits for its sentence. */
export const RULE_OFFER_LIFE_MS = 30 * 60_000;

/** The machine that a rule was made for: another one of the same slug is not meant. */
export interface Identity {
  readonly target: Target;
  /** The container's root volume as `pct config` names it; null: not known. */
  readonly rootVolume: string | null;
  /** `SHA256:…` of the SSH host key of the machine that is asked; null: not pinned. */
  readonly hostKey: string | null;
}

/** What an operator always allows: exactly this command on exactly this machine. */
export interface StandingRule {
  readonly id: string;
  /** R1, R2, …: never used twice. */
  readonly number: number;
  readonly kind: RuleKind;
  readonly agent: string;
  /** The words of the one simple command, as the gate resolves them. */
  readonly argv: readonly string[];
  readonly identity: Identity;
  readonly dailyCap: number;
  readonly allowedBy: string;
  /** Null: shown to the operator, not confirmed. */
  readonly allowedAt: Date | null;
  readonly lastUsedAt: Date | null;
  readonly revokedAt: Date | null;
}

/** A command that a rule may cover. */
export interface RuleAsk {
  readonly agent: string;
  readonly gate: GateResult;
  /** Undefined: it is not one simple command with known words. */
  readonly argv: readonly string[] | undefined;
  readonly identity: Identity;
}

/**
 * Everything of a rule that gives power, as one text, for its seal. When it was last used and when it
 * was revoked are left out: the ledger knows its uses and its end.
 */
export function ruleContent(rule: StandingRule): string {
  const { id, number, kind, agent, argv, identity, dailyCap, allowedBy, allowedAt } = rule;
  const { target, rootVolume, hostKey } = identity;
  const vmid = target.kind === 'host' ? null : target.vmid;
  const machine = [target.kind, target.slug, target.name, hostOf(target), vmid];
  const allowed = [allowedBy, allowedAt?.toISOString() ?? null];
  const content = [id, number, kind, agent, argv, machine, rootVolume, hostKey, dailyCap, allowed];
  return JSON.stringify(content);
}

/** What no pattern and no rule ever covers, in words; undefined when one of that kind may exist. */
export function neverByRule(kind: RuleKind, gate: GateResult, target: Target): string | undefined {
  if (kind === 'rule' && target.kind === 'host') return 'no rule covers changes on a host';
  if (gate.risk === 'destructive') return 'it counts as destructive, and no rule covers that';
  const flag = gate.flags.find((one) => one === 'unbounded' || NEVER_UNDER_A_WINDOW.includes(one));
  if (flag) return `it is flagged ${flag}, and no rule covers that`;
  // A yes to one text of a file is none to the next, and nobody looks at it here.
  if (needsFacts(gate)) return 'what it does depends on files, whose text may change';
  if (gate.touches === 'unknown') return 'it cannot be told what it acts on';
  if (gate.touches.length > 0) return `it acts on ${gate.touches.join(', ')} from outside`;
  return undefined;
}

/** The rule was made for this very command of this agent on a machine of this name. */
export function isAbout(rule: StandingRule, ask: RuleAsk): boolean {
  return (
    rule.agent === ask.agent &&
    rule.identity.target.slug === ask.identity.target.slug &&
    ask.argv !== undefined &&
    isSameArgv(rule.argv, ask.argv)
  );
}

/**
 * Why a rule does not let the command run now; undefined when it does. Whose wish it is and what
 * was read (K4) is judged by the caller.
 * @param uses how often it was used in the CAP_PERIOD_MS before `now`.
 */
export function ruleObjection(
  rule: StandingRule,
  ask: RuleAsk,
  uses: number,
  now: Date,
): string | undefined {
  const name = `R${rule.number}`;
  if (!isAbout(rule, ask)) return `${name} is about another command`;
  if (rule.revokedAt !== null) return `${name} was revoked`;
  if (rule.allowedAt === null) return `${name} was never confirmed`;
  if (isForgotten(rule, now)) return `${name} was not used for 90 days`;
  const never = neverByRule(rule.kind, ask.gate, ask.identity.target);
  if (never) return `${name} does not cover it: ${never}`;
  const allowed = rule.kind === 'pattern' ? 'reversible_low' : 'config_mutation';
  if (isStricter(ask.gate.risk, allowed)) {
    return `${name} covers ${allowed}, and it counts as ${ask.gate.risk} now`;
  }
  const other = identityObjection(rule.identity, ask.identity);
  if (other) return `${name} was made for another machine: ${other}`;
  return uses < rule.dailyCap
    ? undefined
    : `${name} was used ${uses} times in the last 24 hours, which is all it allows`;
}

/** Unused for so long that it no longer counts. */
export function isForgotten(
  { allowedAt, lastUsedAt }: Pick<StandingRule, 'allowedAt' | 'lastUsedAt'>,
  now: Date,
): boolean {
  const last = lastUsedAt ?? allowedAt;
  return last !== null && last.getTime() + UNUSED_RULE_LIFE_MS <= now.getTime();
}

/** What was not known when the rule was made cannot be compared; what was known must be the same. */
function identityObjection(then: Identity, now: Identity): string | undefined {
  const [before, after] = [describeTarget(then.target), describeTarget(now.target)];
  if (before !== after) return `${before} then, ${after} now`;
  if (then.rootVolume !== null && then.rootVolume !== now.rootVolume) {
    return `its root volume was ${then.rootVolume} and is ${now.rootVolume ?? 'not known'}`;
  }
  if (then.hostKey !== null && then.hostKey !== now.hostKey) return 'its host has another key';
  return undefined;
}

function isSameArgv(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((word, at) => word === other[at]);
}
