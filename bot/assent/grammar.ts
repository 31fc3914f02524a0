import { allows, type Part, parseParts, type Scope } from './clauses.ts';
import { itemizations, type Token, tokens } from './lex.ts';
import type { Lexicon } from './lexicon.ts';
import { LEXICONS } from './phrases.ts';

export interface Clause {
  readonly act: 'yes' | 'weak' | 'deny';
  readonly scope: Scope;
  /** Said with a deciding verb ("approve 2"): names a card even where a number alone would not. */
  readonly verb: boolean;
}

export type Reading =
  | { readonly is: 'decision'; readonly clauses: readonly Clause[] }
  | { readonly is: 'hold' }
  | { readonly is: 'unread'; readonly why: string };

/**
 * Reads a whole message (R2 to R5, R9, R10): every character must be used up by known phrases of
 * one language. Where languages disagree about the same words, it is unread.
 */
export function read(text: string): Reading {
  const reading = readMarked(text);
  const bare = text.replaceAll(LOOSE_MARKS, '');
  if (reading.is !== 'unread' || bare === text) return reading;
  const unmarked = readMarked(bare);
  return takesBack(unmarked) ? unmarked : reading;
}

/** Marks that make no yes of what they touch ("yes,"), but leave a no a no ("wait,", "- no"). */
const LOOSE_MARKS = /^[\s.,;:/–—-]+|[\s,;:/–—-]+$/g;

function takesBack(reading: Reading): boolean {
  if (reading.is !== 'decision') return reading.is === 'hold';
  return reading.clauses.every(({ act }) => act === 'deny');
}

function readMarked(text: string): Reading {
  const list = tokens(text);
  if (list === undefined) return unread('it has characters that no decision has');
  const readings = LEXICONS.flatMap((lexicon) => readIn(list, lexicon) ?? []);
  const [first, ...others] = readings.toSorted((a, b) => strength(a) - strength(b));
  if (first === undefined) return unread('it has words outside the known phrases');
  const rivals = others.filter((other) => other.is !== 'unread' && gist(other) !== gist(first));
  return rivals.length === 0 ? first : unread('languages differ about its meaning');
}

/**
 * The reading in one language: that of the longest phrases which make sense together ("please" and
 * "do it", where "please do" leaves an "it" over). Another way to cut the words must not turn it round.
 */
function readIn(list: readonly Token[], lexicon: Lexicon): Reading | undefined {
  const readings = itemizations(list, lexicon).map((items) => combine(parseParts(items)));
  const sensible = readings.filter(({ is }) => is !== 'unread');
  const [first] = sensible;
  if (first === undefined) return readings[0];
  const isTwofold = sensible.some((other) => direction(other) !== direction(first));
  return isTwofold ? unread('its words can be read in two ways') : first;
}

function direction(reading: Reading): string {
  if (reading.is !== 'decision') return reading.is;
  return reading.clauses.map(({ act }) => (act === 'deny' ? 'no' : 'yes')).join();
}

/** Readable ones first, and of those the most cautious. */
function strength(reading: Reading): number {
  if (reading.is !== 'decision') return reading.is === 'hold' ? 0 : 9;
  return reading.clauses.some(({ act }) => act === 'yes') ? 2 : 1;
}

function gist(reading: Reading): string {
  if (reading.is !== 'decision') return reading.is;
  const clauses = reading.clauses.map((clause) => ({
    no: clause.act === 'deny',
    on: clause.scope,
  }));
  return JSON.stringify(clauses);
}

function combine(parts: readonly Part[] | undefined): Reading {
  if (parts === undefined) return unread('its known words make no sentence of a decision');
  const acts = parts.filter((part) => part.is === 'act');
  const scopes = parts.filter((part) => part.is === 'scope');
  const yes = acts.filter(({ act }) => act === 'yes' || act === 'weak');
  const denies = acts.some(({ act }) => act === 'deny');
  if (acts.some(({ act }) => act === 'hold')) {
    return yes.length > 0 ? unread('it says both go and wait') : { is: 'hold' };
  }
  if (acts.some(({ softened }) => softened) && (denies || yes.every(({ act }) => act === 'weak'))) {
    return unread('it has no explicit yes');
  }
  if (isDoubled(parts)) return unread('it says the same word twice');
  if (scopes.length > 1) return alternate(parts);
  if (yes.length > 0 && denies) return unread('it says both yes and no');
  return scopes.length === 0 ? bareClause(parts) : oneScope(parts);
}

function bareClause(parts: readonly Part[]): Reading {
  const acts = parts.filter((part) => part.is === 'act');
  if (acts.length === 0) return unread('it has no explicit yes or no');
  if (acts.some(({ takes }) => takes === 'must')) return unread('it names nothing to do');
  return decision([clause(parts, { is: 'bare', single: acts.some(({ single }) => single) })]);
}

/** `yes to 2`, `all of them, go ahead`, `only 2`, `yes, do #2`. */
function oneScope(parts: readonly Part[]): Reading {
  const at = parts.findIndex((part) => part.is === 'scope');
  const scope = parts[at];
  if (scope?.is !== 'scope') return unread('it names nothing');
  const acts = parts.filter((part) => part.is === 'act');
  if (acts.length === 0 && !scope.impliesYes)
    return unread('it names something, without a yes or no');
  if (scope.only && acts.some(({ act }) => act === 'deny'))
    return unread('a no with "only" says two things');
  const before = parts[at - 1];
  if (before?.is === 'act' && !allows(before, scope))
    return unread('its verb does not take that object');
  if (acts.some((part) => part.takes === 'must' && part !== before))
    return unread('it names nothing to do');
  return decision([clause(parts, scope.scope)]);
}

/** `approve 2, deny 3` and `1: yes 2: no`: acts and scopes in strict turn. */
function alternate(parts: readonly Part[]): Reading {
  const clauses: Clause[] = [];
  for (let at = 0; at < parts.length; at += 2) {
    const pair = parts.slice(at, at + 2);
    const [first, second] = pair;
    const scope = pair.find((part) => part.is === 'scope');
    const act = pair.find((part) => part.is === 'act');
    if (scope === undefined || act === undefined || scope.only || first?.is !== parts[0]?.is)
      return unread('its numbers and words do not pair up');
    if (second === scope ? !allows(act, scope) : act.takes === 'must')
      return unread('its verb does not take that object');
    clauses.push(clause(pair, scope.scope));
  }
  return decision(clauses);
}

function clause(parts: readonly Part[], scope: Scope): Clause {
  const acts = parts.filter((part) => part.is === 'act');
  const verb = acts.some(({ takes }) => takes === 'verb');
  if (acts.some(({ act }) => act === 'deny')) return { act: 'deny', scope, verb };
  const weak = acts.length > 0 && acts.every(({ act }) => act === 'weak');
  return { act: weak ? 'weak' : 'yes', scope, verb };
}

/** "yeah yeah", "ja ja klar": a doubled yes is as often doubt. A doubled no is a no, "👍👍" is eager. */
function isDoubled(parts: readonly Part[]): boolean {
  return parts.some((part, at) => {
    const next = parts[at + 1];
    if (part.is !== 'act' || next?.is !== 'act' || part.act === 'deny') return false;
    return part.said.split(' ').at(-1) === next.said.split(' ')[0] && /\p{L}/u.test(part.said);
  });
}

function decision(clauses: readonly Clause[]): Reading {
  return { is: 'decision', clauses };
}

function unread(why: string): Reading {
  return { is: 'unread', why };
}
