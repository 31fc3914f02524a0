import type { ParsedScript } from 'unbash';
import type { GateFlag } from '../domain/gate-result.ts';
import type { RiskClass } from '../domain/risk.ts';
import type { GateFacts } from './facts.ts';
import type { GatePolicy } from './policy.ts';
import type { Report } from './report.ts';
import type { Input } from './rule.ts';
import { fork, type Scope, sizeOf } from './scope.ts';
import type { Value } from './value.ts';

/** The command is too large or too deeply nested to be judged whole. */
export class BudgetExceeded extends Error {
  override readonly name = 'BudgetExceeded';
}

/**
 * A unit is what judging one short word takes, about a microsecond: the whole of it is spent well
 * within the 50 ms that a verdict may take. Counted, not timed, so that a verdict is the same everywhere.
 */
const MAX_WORK = 16_000;
/** Kept for looking for destructive words once the work is used up. */
const LAST_WORK = 4_000;
const MAX_DEPTH = 40;

/** Work left for one command line, shared by all its nested parts. */
interface Budget {
  work: number;
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
  return { work: MAX_WORK };
}

/** For a last look at a command that could not be judged whole. */
export function lastBudget(): Budget {
  return { work: LAST_WORK };
}

/** Counts work. Throws BudgetExceeded when there is none left. */
export function spend(context: Pick<Context, 'budget'>, work = 1): void {
  context.budget.work -= work;
  if (context.budget.work < 0) throw new BudgetExceeded('it holds too many parts');
}

const CHARACTERS_A_UNIT = 64;

/** Counts the work of going through a text once. */
export function spendText(context: Pick<Context, 'budget'>, length: number): void {
  spend(context, Math.floor(length / CHARACTERS_A_UNIT));
}

/** A copy of a scope, and its work. */
export function branchOff(context: Context, from: Scope = context.scope): Scope {
  spend(context, sizeOf(from));
  return fork(from);
}

/** The context one level further in. Throws BudgetExceeded when that is too deep. */
export function deeper(context: Context, changes: Partial<Context> = {}): Context {
  if (context.depth >= MAX_DEPTH) throw new BudgetExceeded('it is nested too deep');
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
