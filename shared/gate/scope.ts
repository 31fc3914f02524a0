import { type Directory, START_DIRECTORIES } from './places.ts';

/** What is known about a shell variable. */
export type Known =
  | { readonly kind: 'text'; readonly text: string }
  /** One non-empty word of this form without blanks: a loop variable over words. */
  | { readonly kind: 'word'; readonly pattern: string; readonly prefix: string }
  /** One file name of this form, which may hold blanks and split where it is not quoted. */
  | { readonly kind: 'file'; readonly pattern: string; readonly prefix: string }
  /** An integer, or nothing. */
  | { readonly kind: 'number' }
  /** An array of these, one after another. */
  | { readonly kind: 'list'; readonly items: readonly Known[] }
  /** Anything, also nothing. `inherited`: perhaps still what the environment held before the line. */
  | { readonly kind: 'unknown'; readonly inherited?: true };

/** What the shell knows at one point of the script. Changed in place as statements follow. */
export interface Scope {
  vars: Map<string, Known>;
  directories: readonly Directory[];
  /** Behind `cd x &&`: narrower than `directories`, where the `cd` may not have happened. */
  here?: readonly Directory[] | undefined;
  /** Where the `cd` right before leads if it succeeds. */
  entered?: readonly Directory[] | undefined;
}

const UNKNOWN: Known = { kind: 'unknown' };
const PERHAPS_INHERITED: Known = { kind: 'unknown', inherited: true };
const NONE: ReadonlySet<string> = new Set();
const MAX_DIRECTORIES = 8;
const NAMES_A_UNIT = 8;

/** The work of copying or joining a scope. */
export function sizeOf(scope: Scope): number {
  return 1 + Math.floor(scope.vars.size / NAMES_A_UNIT);
}

/** A fresh shell. */
export function newScope(): Scope {
  return { vars: new Map(), directories: START_DIRECTORIES };
}

/** A copy that can go its own way: a subshell, a branch. */
export function fork(scope: Scope): Scope {
  const { directories, here } = scope;
  return { vars: new Map(scope.vars), directories, here };
}

/** Afterwards either of these may have happened: only what all agree on stays known. */
export function joinInto(scope: Scope, branches: readonly Scope[]): void {
  const names = new Set(branches.flatMap((branch) => [...branch.vars.keys()]));
  const vars = new Map<string, Known>();
  for (const name of names) {
    vars.set(name, agreed(branches.map((branch) => branch.vars.get(name))));
  }
  const directories = [...new Set(branches.flatMap((branch) => branch.directories))];
  scope.vars = vars;
  scope.here = undefined;
  scope.directories = directories.length > MAX_DIRECTORIES ? [undefined] : directories;
}

function agreed(values: readonly (Known | undefined)[]): Known {
  const [first] = values;
  if (first === undefined || values.some(isInherited)) return PERHAPS_INHERITED;
  const same = values.every((value) => value && JSON.stringify(value) === JSON.stringify(first));
  if (same) return first;
  return values.every(isNumber) ? { kind: 'number' } : UNKNOWN;
}

/** Whether a variable holds a number, or is known to be empty. */
export function isNumber(known: Known | undefined): boolean {
  if (known?.kind === 'number') return true;
  return known?.kind === 'text' && /^(-?\d+)?$/.test(known.text);
}

function isInherited(known: Known | undefined): boolean {
  return known === undefined || (known.kind === 'unknown' && known.inherited === true);
}

/**
 * These names may hold anything from here on, also what the environment gave them. Those of `numbers`
 * were only ever set to numbers: what held one before still does.
 */
export function forget(
  scope: Scope,
  names: Iterable<string>,
  numbers: ReadonlySet<string> = NONE,
): void {
  for (const name of names) {
    if (numbers.has(name) && isNumber(scope.vars.get(name))) {
      scope.vars.set(name, { kind: 'number' });
      continue;
    }
    scope.vars.set(name, isInherited(scope.vars.get(name)) ? PERHAPS_INHERITED : UNKNOWN);
  }
}

/** These names hold something new that nobody knows: what the environment gave them is gone. */
export function receive(scope: Scope, names: Iterable<string>): void {
  for (const name of names) scope.vars.set(name, UNKNOWN);
}

/** Nobody knows any more where relative paths start. */
export function forgetDirectory(scope: Scope): void {
  scope.directories = [undefined];
  scope.here = undefined;
}
