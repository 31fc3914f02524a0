/** What a known phrase says. `idiom` only softens an explicit yes that follows ("no problem, do it"). */
export type Act = 'yes' | 'weak' | 'deny' | 'hold';

/**
 * What may follow an act as its object:
 * none, `#2` only, such a number always ("run" alone says nothing), `with 2`, an answer's `to 2`,
 * or a deciding verb's direct object (`approve 2`).
 */
export type Takes = 'none' | 'hash' | 'must' | 'with' | 'answer' | 'verb';

export type Meaning =
  | { readonly is: 'act'; readonly act: Act; readonly takes: Takes; readonly single: boolean }
  | { readonly is: 'filler' | 'idiom' | 'only' | 'and' | 'link' | 'with' }
  | { readonly is: 'all' | 'both' | 'rest' | 'allBut' }
  /** `-1` is the last one. */
  | { readonly is: 'place'; readonly at: number };

/** Phrases (words joined by one space) and their meanings: of one language, or common to all. */
export type Lexicon = ReadonlyMap<string, Meaning>;

/** One group of phrases with one meaning; commas separate them. */
export type Group = readonly [meaning: Meaning, phrases: string];

export function lexicon(...groups: readonly Group[]): Lexicon {
  return new Map(
    groups.flatMap(([meaning, phrases]) =>
      phrases
        .split(',')
        .map((phrase) => [phrase.trim().replaceAll(/[\s-]+/g, ' '), meaning] as const),
    ),
  );
}

export function act(name: Act, takes: Takes = 'none'): Meaning {
  return { is: 'act', act: name, takes, single: false };
}

/** "this", "that": one thing, so it is no yes to several. */
export function actOnOne(name: Act): Meaning {
  return { is: 'act', act: name, takes: 'none', single: true };
}
