import type { Lexicon, Meaning } from './lexicon.ts';

/** Card numbers as written: `2`, `#2`, `1-3`. */
export interface NumbersItem {
  readonly is: 'numbers';
  readonly numbers: readonly number[];
  readonly hash: boolean;
}

/** One known phrase (with its words, to notice a doubled one), a number, or a pause. */
export type Item = (Meaning & { readonly said: string }) | NumbersItem | { readonly is: 'pause' };

const LETTER = '[a-zàáâãäçèéêëìíîïñòóôõöùúûüÿœæß]';
/** As cards print it: no leading zero. "card 7" names it as plainly as "#7". */
const CARD_NUMBER = String.raw`(?:card )?#?[1-9]\d{0,5}`;
const SAID = String.raw`[\p{L}\d\p{Extended_Pictographic}]`;
/**
 * A mark stands behind what was said. In front of a word it negates ("!yes"), commands ("/yes") or
 * lists ("- yes", "1. yes"), and a comma or dash at the end announces more: none of these is a pause.
 */
const PAUSE = [
  `(?<=${SAID}[.!]* ?)(?<!^#?\\d+ ?)[.!](?!${SAID}|#)`,
  String.raw`(?<=${SAID}[.!]*)[,;:](?=\s*[^\s,;:])`,
  String.raw`(?<=${SAID} )[,;:](?=\s+[^\s,;:])`,
  `(?<=${SAID}[.!]*)[–—](?=${SAID})`,
  String.raw`(?<=${SAID}[.!]* ?)[–—-](?= \S)`,
  String.raw`(?<=\p{L})\/(?=\p{L})`,
  String.raw`(?<=\p{L} )\/(?= \p{L})`,
  String.raw`(?<![^\s,])¡(?=${SAID})`,
  String.raw`\n`,
].join('|');
const TOKEN = new RegExp(
  [
    String.raw`(?<range>(?<![\w.-])${CARD_NUMBER} ?[–-] ?${CARD_NUMBER}(?![\w.]))`,
    String.raw`(?<number>(?<![\w.-])${CARD_NUMBER}(?!\w|\.\d))`,
    `(?<word>${LETTER}+(?:'${LETTER}+)*|1st|2nd|3rd|[45]th)`,
    String.raw`(?<emoji>\p{Extended_Pictographic})`,
    `(?<pause>${PAUSE})`,
    '(?<plus>[&+])',
    String.raw`(?<hyphen>(?<=\p{L})-(?=\p{L}))`,
    String.raw`(?<space>\s)`,
  ].join('|'),
  'muy',
);

export type Token =
  | { readonly is: 'word'; readonly word: string }
  | NumbersItem
  | { readonly is: 'and' }
  | { readonly is: 'pause' };

/** The tokens of readable text, or undefined where a character has no place in a decision. */
export function tokens(text: string): readonly Token[] | undefined {
  const found: Token[] = [];
  for (let at = 0; at < text.length; at = TOKEN.lastIndex) {
    TOKEN.lastIndex = at;
    const groups = TOKEN.exec(text)?.groups;
    if (groups === undefined) return undefined;
    const token = toToken(groups);
    if (token === 'unreadable') return undefined;
    if (token !== undefined) found.push(token);
  }
  return found;
}

/**
 * Every way to read the whole token list as known phrases of one lexicon, those with longer phrases
 * first; none when one word is unknown (R2), or when there are too many ways to mean one thing.
 */
export function itemizations(
  list: readonly Token[],
  lexicon: Lexicon,
): readonly (readonly Item[])[] {
  const from: (readonly (readonly Item[])[])[] = list.map(() => []);
  from.push([[]]);
  for (let at = list.length - 1; at >= 0; at -= 1) {
    const ways = steps(list, at, lexicon).flatMap(({ item, length }) =>
      (from[at + length] ?? []).map((tail) => [item, ...tail]),
    );
    if (ways.length > MAX_WAYS) return [];
    from[at] = ways;
  }
  return from[0] ?? [];
}

/** What the message may begin with at `at`: a known phrase, number, "and" or pause; longest first. */
export function steps(
  list: readonly Token[],
  at: number,
  lexicon: Lexicon,
): readonly { readonly item: Item; readonly length: number }[] {
  const token = list[at];
  if (token === undefined) return [];
  if (token.is === 'and') return [{ item: { is: 'and', said: 'and' }, length: 1 }];
  return token.is === 'word' ? phrasesAt(list, at, lexicon) : [{ item: token, length: 1 }];
}

function phrasesAt(list: readonly Token[], at: number, lexicon: Lexicon) {
  const found: { item: Item; length: number }[] = [];
  for (let length = Math.min(MAX_PHRASE_WORDS, list.length - at); length > 0; length -= 1) {
    const slice = list.slice(at, at + length);
    const words = slice.flatMap((token) => (token.is === 'word' ? [token.word] : []));
    const said = words.join(' ');
    const meaning = words.length === length ? lexicon.get(said) : undefined;
    if (meaning !== undefined) found.push({ item: { ...meaning, said }, length });
  }
  return found;
}

const MAX_WAYS = 64;
const MAX_PHRASE_WORDS = 7;
const MAX_RANGE = 20;

function toToken(groups: Record<string, string | undefined>): Token | 'unreadable' | undefined {
  const { range, number, word, emoji, pause, plus } = groups;
  if (range !== undefined) return toRange(range);
  if (number !== undefined) {
    return { is: 'numbers', numbers: [digits(number)], hash: /^(?:#|card)/.test(number) };
  }
  const said = word ?? emoji;
  if (said !== undefined) return { is: 'word', word: said };
  if (pause !== undefined) return { is: 'pause' };
  return plus === undefined ? undefined : { is: 'and' };
}

function toRange(range: string): Token | 'unreadable' {
  const [from = 0, to = 0] = range.split(/[–-]/).map(digits);
  return rangeOf(from, to, /#|card/.test(range)) ?? 'unreadable';
}

/** `1-3` as numbers; undefined when it runs backwards or is too long to be meant. */
export function rangeOf(from: number, to: number, hash: boolean): NumbersItem | undefined {
  if (to <= from || to - from >= MAX_RANGE) return undefined;
  return {
    is: 'numbers',
    numbers: Array.from({ length: to - from + 1 }, (_, i) => from + i),
    hash,
  };
}

function digits(written: string): number {
  return Number(written.replaceAll(/[^\d]/g, ''));
}
