import type { ParsedScript } from 'unbash';
import type { GateFlag } from '../domain/gate-result.ts';
import type { RiskClass } from '../domain/risk.ts';
import type { GateFacts } from './facts.ts';
import type { GatePolicy } from './policy.ts';
import type { Report } from './report.ts';
import type { Input } from './rule.ts';
import type { Scope } from './scope.ts';
import type { Value } from './value.ts';

/** The command is too large or too deeply nested to be judged whole. */
export class BudgetExceeded extends Error {
  override readonly name = 'BudgetExceeded';
}

const MAX_STEPS = 40_000;
const MAX_DEPTH = 40;

/** Steps left for one command line, shared by all its nested parts. */
interface Budget {
  steps: number;
}

/** Where the walk stands. Everything but the report, the budget and the scope is replaced by copies. */
export interface Context {
  /** The text that positions of the syntax tree point into. */
  readonly source: string;
  /** Set inside nested texts, whose own positions mean nothing to the reader of the whole command. */
  readonly fixedSpan?: readonly [number, number];
  readonly report: Report;
  readonly budget: Budget;
  readonly depth: number;
  readonly shell: 'bash' | 'posix';
  readonly facts: GateFacts;
  readonly policy: GatePolicy;
  readonly scope: Scope;
  readonly input: Input;
  /** Set while words are tried as commands: what is found then is not searched again. */
  readonly searching?: boolean;
  /** The word is only asked whether it is empty: `[ -n "$TOKEN" ]` tells nothing of what it holds. */
  readonly asking?: boolean;
  /** The words belong to a program that compares its files line by line. */
  readonly comparing?: boolean;
  /** The guest, container or host a nested command runs in; undefined on the target itself. */
  readonly place?: Value;
  /** The guest whose files a nested command names, e.g. `lxc/101`; null: nobody can look there. */
  readonly guest?: string | null | undefined;
  readonly engine: Engine;
}

/** The parts of the gate that call each other. */
export interface Engine {
  readonly script: (script: ParsedScript, context: Context) => void;
  /** Parses and judges a text, such as the argument of `sh -c`. */
  readonly text: (text: string, context: Context) => void;
  readonly argv: (argv: readonly Value[], context: Context, segment: Segment) => void;
}

/** A stretch of the command as it is shown to people. */
export interface Segment {
  readonly text: string;
  readonly span: readonly [number, number];
}

export function newBudget(): Budget {
  return { steps: MAX_STEPS };
}

/** Counts one step of work. Throws BudgetExceeded when there are none left. */
export function spend(context: Context): void {
  if (--context.budget.steps < 0) throw new BudgetExceeded('too many parts');
}

/** The context one level further in. Throws BudgetExceeded when that is too deep. */
export function deeper(context: Context, changes: Partial<Context> = {}): Context {
  if (context.depth >= MAX_DEPTH) throw new BudgetExceeded('nested too deep');
  return { ...context, ...changes, depth: context.depth + 1 };
}

/** The stretch of a node, in positions of the whole command. */
export function segmentOf(node: { pos: number; end: number }, context: Context): Segment {
  return {
    text: context.source.slice(node.pos, node.end),
    span: context.fixedSpan ?? [node.pos, node.end],
  };
}

/** Notes something about the syntax itself, such as a background job. */
export function noteSyntax(
  context: Context,
  node: { pos: number; end: number },
  why: string,
  extra: { readonly class?: RiskClass; readonly flags?: readonly GateFlag[] } = {},
): void {
  context.report.add({
    ...segmentOf(node, context),
    rule: 'shell',
    why,
    class: extra.class ?? 'config_mutation',
    flags: extra.flags ?? [],
  });
}
