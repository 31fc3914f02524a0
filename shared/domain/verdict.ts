import { withoutExemptAccess } from './access-exemption.ts';
import type { Authorization } from './authorization.ts';
import type { GateResult } from './gate-result.ts';
import { objectsOf } from './objects.ts';
import { originOf, type Read, readsAllow } from './origin.ts';
import { type Identity, ruleObjection, type StandingRule } from './rule.ts';
import type { Target } from './target.ts';
import { isOpen, scopeAllows, type Window } from './window.ts';

export interface VerdictAsk {
  readonly gate: GateResult;
  readonly target: Target;
  readonly agent: string;
  readonly taskId: string;
  readonly windows: readonly Window[];
  /** Rules about this very command, with their uses of the last day. */
  readonly rules: readonly UsedRule[];
  /** Undefined: it is not one simple command with known words, and no rule can be about it. */
  readonly argv: readonly string[] | undefined;
  readonly identity: Identity;
  /** Containers that this task created, as `lxc/140@host:lab`. */
  readonly created: readonly string[];
  readonly reads: readonly Read[];
  /** This exact request (spec hash) was already approved by a person in this task. */
  readonly approvedBefore: boolean;
  /** The turn was asked for by an operator: only then may a window serve it. */
  readonly byOperator: boolean;
  readonly now: Date;
}

export interface UsedRule {
  readonly rule: StandingRule;
  /** In the CAP_PERIOD_MS before now. */
  readonly uses: number;
}

/** A rule about this very command that does not let it run now. */
export interface PassedRule {
  readonly rule: StandingRule;
  readonly why: string;
}

export type Verdict =
  | {
      readonly kind: 'run';
      readonly authorization: Authorization;
      readonly window?: Window;
      readonly rule?: StandingRule;
    }
  | { readonly kind: 'ask'; readonly passed?: readonly PassedRule[] }
  | { readonly kind: 'refuse'; readonly reasons: readonly string[]; readonly hint?: string };

/**
 * What happens to a proposal: the one place where class, rules, windows and origins meet. The
 * narrowest permission is the one that is used: a rule before a window. What is reversible_low has no
 * other way to run at once than config_mutation has.
 */
export function judge(ask: VerdictAsk): Verdict {
  const { gate } = ask;
  if (gate.flags.includes('unbounded')) {
    return refusal('it never ends by itself', gate.hint ?? 'ask for a bounded form of it');
  }
  if (gate.risk === 'read_only') return { kind: 'run', authorization: { kind: 'read_only' } };
  const { covering, passed } = byRules(ask);
  if (covering) {
    const authorization = { kind: covering.kind, ruleId: covering.id } as const;
    return { kind: 'run', authorization, rule: covering };
  }
  const window = ask.windows.find((candidate) => covers(candidate, ask));
  if (window)
    return { kind: 'run', authorization: { kind: 'window', windowId: window.id }, window };
  if (gate.risk === 'destructive' && !gate.confirm) {
    return refusal(
      'it destroys something that no single sentence can name',
      gate.hint ?? 'propose one command for each thing that is lost, with its name written out',
    );
  }
  return passed.length > 0 ? { kind: 'ask', passed } : { kind: 'ask' };
}

function byRules(ask: VerdictAsk): {
  readonly covering?: StandingRule;
  readonly passed: readonly PassedRule[];
} {
  const passed: PassedRule[] = [];
  for (const { rule, uses } of ask.rules) {
    const why = ruleObjection(rule, ask, uses, ask.now) ?? notUnasked(rule, ask);
    if (why === undefined) return { covering: rule, passed };
    passed.push({ rule, why });
  }
  return { passed };
}

/** K4 without a yes in this task that could cover a read: all of them must be harmless. */
function notUnasked(rule: StandingRule, ask: VerdictAsk): string | undefined {
  if (!ask.byOperator) return `R${rule.number} serves work that an operator asked for`;
  if (ask.approvedBefore || readsAllow(ask.reads, 0, originOf(ask.target))) return undefined;
  return `text from elsewhere was read in this task, and R${rule.number} does not cover what follows it`;
}

function covers(window: Window, ask: VerdictAsk): boolean {
  if (!ask.byOperator || !isOpen(window, ask.now)) return false;
  const gate = withoutExemptAccess(ask.gate, ask.target, ask.created);
  if (!scopeAllows(window, { ...ask, gate, objects: objectsOf(gate, ask.target) })) return false;
  return ask.approvedBefore || readsAllow(ask.reads, window.coversSeq, originOf(ask.target));
}

function refusal(reason: string, hint: string): Verdict {
  return { kind: 'refuse', reasons: [reason], hint };
}
