import type { DecisionWay } from '../../shared/domain/approval.ts';
import type { ContentFacts } from '../../shared/domain/content.ts';
import type { ExecutionStatus } from '../../shared/domain/execution.ts';
import type { ConfirmPhrase, GateFlag } from '../../shared/domain/gate-result.ts';
import type { RiskClass } from '../../shared/domain/risk.ts';

/** An execution as its card shows it: row data, nothing computed from a clock. */
export interface CardView {
  readonly number: number;
  readonly status: ExecutionStatus;
  readonly risk: RiskClass;
  readonly flags: readonly GateFlag[];
  /** The gate's reasons in words, the strictest first. */
  readonly reasons: readonly string[];
  /** As describeTarget() says it: the slug comes first. */
  readonly target: string;
  /** Guests that a command on a host names, one in words each. */
  readonly touches?: readonly string[] | undefined;
  readonly command: string;
  /** The files that it executes or applies, as they were found. */
  readonly facts?: ContentFacts | undefined;
  /** The agent's own words. */
  readonly purpose: string;
  readonly phrase: ConfirmPhrase | null;
  readonly expiresAt: Date | null;
  readonly requestedBy: string;
  readonly provenance?: string | undefined;
  readonly decision?:
    | {
        readonly by: string;
        readonly how: DecisionWay;
        readonly granted: boolean;
        readonly at: Date;
      }
    | undefined;
  /** End of the grace in which it can still be called off. */
  readonly startsAt?: Date | null | undefined;
  readonly startedAt?: Date | null | undefined;
  /** Its host has not answered since. */
  readonly unreachableSince?: Date | null | undefined;
  /** It has printed nothing since, for long. */
  readonly quietSince?: Date | null | undefined;
  readonly endedAt?: Date | null | undefined;
  readonly exitCode?: number | null | undefined;
  /** Why it was refused, failed or lost, in words. */
  readonly outcome?: string | undefined;
  /** The last lines of its output. */
  readonly tail?: string | undefined;
  readonly outputCut?: boolean | undefined;
  /** End of the window that this card's approval opened. */
  readonly windowUntil?: Date | null | undefined;
  /** The rule that it runs by, when nobody was asked. */
  readonly byRule?:
    | {
        readonly number: number;
        readonly allowedBy: string;
        readonly allowedAt: Date;
        /** Which of its uses in 24 hours this is, of how many. */
        readonly use: number;
        readonly dailyCap: number;
      }
    | undefined;
  /** A rule about this very command that did not let it run, and why. */
  readonly passedBy?: { readonly number: number; readonly why: string } | undefined;
  readonly underWindow?: { readonly openedBy: string; readonly until: Date } | undefined;
}

export interface CardOptions {
  readonly now: Date;
  /** IANA name, e.g. `Europe/Berlin` or `UTC`. */
  readonly timeZone: string;
}

/** `lxc:web` of `lxc:web (CT 101 "web" on host:lab)`. */
export function slugOf(view: CardView): string {
  return view.target.split(' ')[0] ?? view.target;
}

/** `exit 0, 3.2 s`, or what of it is known; empty for a run that never started. */
export function runFacts(view: CardView, duration: (ms: number) => string): string {
  const { startedAt, endedAt, exitCode } = view;
  const facts = [
    typeof exitCode === 'number' ? `exit ${exitCode}` : '',
    startedAt && endedAt ? duration(endedAt.getTime() - startedAt.getTime()) : '',
  ];
  return facts.filter((fact) => fact !== '').join(', ');
}
