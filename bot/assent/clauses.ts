import { type Item, type NumbersItem, rangeOf } from './lex.ts';
import type { Act, Takes } from './lexicon.ts';

/** Which cards a clause names, before they are looked up. */
export type Scope =
  /** A bare yes or no: what is bound. `single`: said of one thing ("run that"). */
  | { readonly is: 'bare'; readonly single: boolean }
  | {
      readonly is: 'numbers';
      readonly numbers: readonly number[];
      /** Written as `#2`: names a card whatever was asked last. */
      readonly hash: boolean;
    }
  | { readonly is: 'all'; readonly except: readonly number[] }
  | { readonly is: 'both' | 'rest' }
  | { readonly is: 'place'; readonly at: number };

export interface ActPart {
  readonly is: 'act';
  readonly act: Act;
  readonly takes: Takes;
  readonly single: boolean;
  readonly said: string;
  /** The word between act and object: `to`, `with`. */
  readonly link: 'link' | 'with' | null;
  /** Comes after an idiom ("no problem, …"), which needs an explicit yes. */
  readonly softened: boolean;
}

export interface ScopePart {
  readonly is: 'scope';
  readonly scope: Scope;
  readonly only: boolean;
  /** "only 2" and "all but 2" say yes by themselves. */
  readonly impliesYes: boolean;
}

export type Part = ActPart | ScopePart;

/** Acts and scopes in order, or undefined where a structure word stands alone. */
export function parseParts(items: readonly Item[]): readonly Part[] | undefined {
  const bare = dropIdioms(mergeNumbers(items));
  if (bare === undefined) return undefined;
  const parts: Part[] = [];
  for (let at = 0; at < bare.items.length; ) {
    const step = takePart(bare.items, at, parts.length > 0);
    if (step === undefined) return undefined;
    if (step.part !== undefined) parts.push(step.part);
    at += step.length;
  }
  const hasAct = parts.some((part) => part.is === 'act');
  if (bare.softened && !hasAct) return undefined;
  return parts.map((part) => (part.is === 'act' ? { ...part, softened: bare.softened } : part));
}

/** Whether the act may have this object right behind it. */
export function allows(part: ActPart, { scope, only }: ScopePart): boolean {
  if (only) return true;
  const clear = scope.is !== 'numbers' || scope.hash;
  switch (part.takes) {
    case 'none':
      return false;
    case 'hash':
    case 'must':
      return clear && part.link === null;
    case 'with':
      return part.link === 'with' || (clear && part.link === null);
    case 'answer':
    case 'verb':
      return part.link !== 'with';
  }
}

/** `1, 3`, `1 and 3`, `1, 2 and 3` become one item, and so does `1 to 3`. */
function mergeNumbers(items: readonly Item[]): readonly Item[] {
  const merged: Item[] = [];
  for (const item of items) {
    merged.push(item);
    const joined = joinTail(merged);
    if (joined !== undefined) merged.splice(joined.from, merged.length, joined.item);
  }
  return merged;
}

function joinTail(items: readonly Item[]): { from: number; item: NumbersItem } | undefined {
  const last = items.at(-1);
  if (last?.is !== 'numbers') return undefined;
  const first = items.findLastIndex((item, at) => item.is === 'numbers' && at < items.length - 1);
  const left = items[first];
  if (left?.is !== 'numbers') return undefined;
  const between = items.slice(first + 1, -1).map(({ is }) => is);
  const hash = left.hash || last.hash;
  if (between.join() === 'link') {
    const range = rangeOf(left.numbers.at(-1) ?? 0, last.numbers[0] ?? 0, hash);
    const single = left.numbers.length === 1 && last.numbers.length === 1;
    return range !== undefined && single ? { from: first, item: range } : undefined;
  }
  const joins = ['pause', 'and', 'pause,and'].includes(between.join());
  const numbers = [...left.numbers, ...last.numbers];
  return joins ? { from: first, item: { is: 'numbers', numbers, hash } } : undefined;
}

/** An idiom counts only before a pause: "why not, go ahead", never "why not go ahead". */
function dropIdioms(items: readonly Item[]) {
  const idioms = items.flatMap((item, at) => (item.is === 'idiom' ? [at] : []));
  if (idioms.some((at) => items[at + 1]?.is !== 'pause')) return undefined;
  const kept = items.filter(({ is }) => is !== 'idiom' && is !== 'pause' && is !== 'filler');
  return { items: kept, softened: idioms.length > 0 };
}

interface Step {
  readonly part?: Part;
  readonly length: number;
}

function takePart(items: readonly Item[], at: number, started: boolean): Step | undefined {
  const item = items[at];
  const next = items[at + 1];
  switch (item?.is) {
    case 'act':
      return takeAct(item, next, items[at + 2]);
    case 'numbers':
      return next?.is === 'only'
        ? { part: scopePart(item, true, true), length: 2 }
        : { part: scopePart(item, false, false), length: 1 };
    case 'all':
      return { part: scopePart({ is: 'all', except: [] }, false, false), length: 1 };
    case 'both':
    case 'rest':
      return { part: scopePart({ is: item.is }, false, false), length: 1 };
    case 'allBut':
      return next?.is === 'numbers'
        ? { part: scopePart({ is: 'all', except: next.numbers }, false, true), length: 2 }
        : undefined;
    case 'only':
      return takeOnly(next, items[at + 2]);
    case 'and':
      return started && next?.is === 'act' ? { length: 1 } : undefined;
    default:
      return undefined;
  }
}

function takeAct(
  item: Extract<Item, { is: 'act' }>,
  next: Item | undefined,
  afterNext: Item | undefined,
): Step | undefined {
  const { act, takes, single, said } = item;
  const part = { is: 'act', act, takes, single, said, softened: false } as const;
  if (next?.is !== 'link' && next?.is !== 'with')
    return { part: { ...part, link: null }, length: 1 };
  return isObject(afterNext) ? { part: { ...part, link: next.is }, length: 2 } : undefined;
}

function takeOnly(next: Item | undefined, afterNext: Item | undefined): Step | undefined {
  if (next?.is === 'numbers' || next?.is === 'place') {
    return { part: scopePart(next, true, true), length: 2 };
  }
  const approvesOne = next?.is === 'act' && next.takes === 'verb' && afterNext?.is === 'numbers';
  return approvesOne ? { length: 1 } : undefined;
}

function isObject(item: Item | undefined): boolean {
  return (
    item !== undefined && ['numbers', 'all', 'both', 'rest', 'allBut', 'only'].includes(item.is)
  );
}

function scopePart(scope: Scope, only: boolean, impliesYes: boolean): ScopePart {
  const { is } = scope;
  const plain: Scope =
    is === 'numbers'
      ? { is, numbers: scope.numbers, hash: scope.hash }
      : is === 'place'
        ? { is, at: scope.at }
        : scope;
  return { is: 'scope', scope: plain, only, impliesYes };
}
