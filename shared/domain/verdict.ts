import type { Authorization } from './authorization.ts';
import type { GateResult } from './gate-result.ts';
import { objectsOf } from './objects.ts';
import { originOf, type Read, readsAllow } from './origin.ts';
import type { Target } from './target.ts';
import { isOpen, scopeAllows, type Window } from './window.ts';

export interface VerdictAsk {
  readonly gate: GateResult;
  readonly target: Target;
  readonly agent: string;
  readonly taskId: string;
  readonly windows: readonly Window[];
  readonly reads: readonly Read[];
  /** This exact request (spec hash) was already approved by a person in this task. */
  readonly approvedBefore: boolean;
  /** The turn was asked for by an operator: only then may a window serve it. */
  readonly byOperator: boolean;
  readonly now: Date;
}

export type Verdict =
  | { readonly kind: 'run'; readonly authorization: Authorization; readonly window?: Window }
  | { readonly kind: 'ask' }
  | { readonly kind: 'refuse'; readonly reasons: readonly string[]; readonly hint?: string };

/** What happens to a proposal: the one place where class, windows and origins meet. */
export function judge(ask: VerdictAsk): Verdict {
  const { gate } = ask;
  if (gate.flags.includes('unbounded')) {
    return refusal('it never ends by itself', gate.hint ?? 'ask for a bounded form of it');
  }
  if (gate.risk === 'read_only') return { kind: 'run', authorization: { kind: 'read_only' } };
  const window = ask.windows.find((candidate) => covers(candidate, ask));
  if (window)
    return { kind: 'run', authorization: { kind: 'window', windowId: window.id }, window };
  if (gate.risk === 'destructive' && !gate.confirm) {
    return refusal(
      'it destroys something that no single sentence can name',
      gate.hint ?? 'propose one command for each thing that is lost, with its name written out',
    );
  }
  return { kind: 'ask' };
}

function covers(window: Window, ask: VerdictAsk): boolean {
  if (!ask.byOperator || !isOpen(window, ask.now)) return false;
  const objects = objectsOf(ask.gate, ask.target);
  if (!scopeAllows(window, { ...ask, objects })) return false;
  return ask.approvedBefore || readsAllow(ask.reads, window.coversSeq, originOf(ask.target));
}

function refusal(reason: string, hint: string): Verdict {
  return { kind: 'refuse', reasons: [reason], hint };
}
