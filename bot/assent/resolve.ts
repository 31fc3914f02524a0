import { byNumber, isDestructive, listNumbers, type OpenCard } from './assessment.ts';
import type { Scope } from './clauses.ts';
import type { Clause } from './grammar.ts';

export type Resolved =
  | { readonly ok: true; readonly approve: readonly OpenCard[]; readonly deny: readonly OpenCard[] }
  | {
      readonly ok: false;
      readonly why: string;
      /** What stood in the way: words that bind to nothing, a destructive card, or a wrong number. */
      readonly blame: 'unbound' | 'destructive' | 'number' | 'contradiction';
    };

/**
 * Looks up what the clauses name (R6, R8 to R10). All or nothing: one number that resolves to no
 * open card, or a yes to a destructive one, and nothing of the message counts.
 */
export function resolveClauses(clauses: readonly Clause[], cards: readonly OpenCard[]): Resolved {
  const open = byNumber(cards);
  const named = new Set(
    clauses.flatMap(({ scope }) => (scope.is === 'numbers' ? scope.numbers : [])),
  );
  const approve = new Set<OpenCard>();
  const deny = new Set<OpenCard>();
  for (const clause of clauses) {
    const found = lookUp(clause, open, named);
    if (!found.ok) return found;
    for (const card of found.cards) (clause.act === 'deny' ? deny : approve).add(card);
  }
  if ([...approve].some((card) => deny.has(card)))
    return refuse('contradiction', 'it says yes and no to the same card');
  return { ok: true, approve: byNumber([...approve]), deny: byNumber([...deny]) };
}

type Refusal = Extract<Resolved, { ok: false }>;
type Found = { readonly ok: true; readonly cards: readonly OpenCard[] } | Refusal;

function lookUp(clause: Clause, open: readonly OpenCard[], named: ReadonlySet<number>): Found {
  const found = candidates(clause, open, named);
  if (!found.ok || clause.act === 'deny') return found;
  if (clause.act === 'weak') {
    const refusal = refuseWeak(open.filter(({ bound }) => bound));
    if (refusal !== undefined) return refusal;
  }
  const { scope } = clause;
  const sweeping = scope.is === 'bare' || scope.is === 'all' || scope.is === 'rest';
  const harmless = found.cards.filter((card) => !isDestructive(card));
  const exact = harmless.length === found.cards.length;
  if (harmless.length === 0 || (!exact && !sweeping))
    return refuse('destructive', 'a loose yes never covers a destructive command');
  if (scope.is === 'bare' && scope.single && found.cards.length > 1)
    return refuse('number', 'it speaks of one card, but several wait');
  return { ok: true, cards: harmless };
}

/** The cards that the scope names, destructive ones among them; never an empty list. */
function candidates(clause: Clause, open: readonly OpenCard[], named: ReadonlySet<number>): Found {
  const { scope } = clause;
  const bound = open.filter((card) => card.bound);
  if (scope.is === 'numbers') {
    const explicit = scope.hash || clause.verb;
    if (!explicit && scope.numbers.every((number) => open.some((card) => card.number === number))) {
      const found = everyNumber(scope.numbers, bound);
      return found.ok ? found : refuse('unbound', 'a bare number counts only right below its card');
    }
    return everyNumber(scope.numbers, open);
  }
  if (bound.length === 0) return refuse('unbound', 'no card belongs to the last turn');
  return fromBound(scope, bound, named);
}

function fromBound(
  scope: Exclude<Scope, { is: 'numbers' }>,
  bound: readonly OpenCard[],
  named: ReadonlySet<number>,
): Found {
  switch (scope.is) {
    case 'bare':
      return { ok: true, cards: bound };
    case 'all': {
      const except = everyNumber(scope.except, bound);
      return except.ok ? some(bound.filter((card) => !except.cards.includes(card))) : except;
    }
    case 'both':
      return bound.length === 2
        ? some(bound)
        : refuse('number', `not two, but ${bound.length} wait`);
    case 'rest':
      return some(named.size === 0 ? [] : bound.filter(({ number }) => !named.has(number)));
    case 'place':
      return some(bound.slice(scope.at, scope.at === -1 ? undefined : scope.at + 1));
  }
}

function everyNumber(numbers: readonly number[], cards: readonly OpenCard[]): Found {
  const found = numbers.map((number) => cards.find((card) => card.number === number));
  const missing = numbers.filter((_, at) => found[at] === undefined);
  if (missing.length > 0)
    return refuse('number', `no card ${missing.map((n) => `#${n}`).join(', ')} is open`);
  return { ok: true, cards: found.flatMap((card) => card ?? []) };
}

function some(cards: readonly OpenCard[]): Found {
  return cards.length > 0 ? { ok: true, cards } : refuse('number', 'it names no open card');
}

/** R2: "ok" may be talk about anything that stands between, or about the destructive card. */
function refuseWeak(bound: readonly OpenCard[]): Refusal | undefined {
  if (!bound.some(({ last }) => last))
    return refuse('unbound', 'so weak a word counts only right below the card');
  const destructive = bound.filter(isDestructive);
  return destructive.length === 0
    ? undefined
    : refuse(
        'destructive',
        `so weak a word does not tell ${listNumbers(destructive)} from the others`,
      );
}

function refuse(blame: Refusal['blame'], why: string): Refusal {
  return { ok: false, blame, why };
}
