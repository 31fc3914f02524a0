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
const TOKEN = new RegExp(
  [
    String.raw`(?<range>(?<![\w-])#?\d{1,6} ?[–-] ?#?\d{1,6}(?![\w.]))`,
    String.raw`(?<number>(?<![\w.-])#?\d{1,6}(?!\w|\.\d))`,
    `(?<word>${LETTER}+(?:'${LETTER}+)*|1st|2nd|3rd|[45]th)`,
    String.raw`(?<emoji>\p{Extended_Pictographic})`,
    String.raw`(?<pause>[,.;:!¡/\n–—]|-(?= )|(?<= )-(?=[a-z]))`,
    '(?<plus>[&+])',
    String.raw`(?<hyphen>(?<=\p{L})-(?=\p{L}))`,
    String.raw`(?<space>\s)`,
  ].join('|'),
  'uy',
);

type Token =
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
 * The whole token list as known phrases of one lexicon, longest match first, or undefined when
 * one word is unknown (R2).
 */
export function itemize(list: readonly Token[], lexicon: Lexicon): readonly Item[] | undefined {
  const items: Item[] = [];
  for (let at = 0; at < list.length; ) {
    const token = list[at];
    if (token === undefined) break;
    if (token.is === 'and') {
      items.push({ is: 'and', said: 'and' });
      at += 1;
    } else if (token.is === 'word') {
      const match = longestPhrase(list, at, lexicon);
      if (match === undefined) return undefined;
      items.push({ ...match.meaning, said: match.said });
      at += match.length;
    } else {
      items.push(token);
      at += 1;
    }
  }
  return items;
}

/** The phrase that starts at `at`; also used to tell whether a message begins like a decision. */
export function longestPhrase(list: readonly Token[], at: number, lexicon: Lexicon) {
  for (let length = Math.min(MAX_PHRASE_WORDS, list.length - at); length > 0; length -= 1) {
    const slice = list.slice(at, at + length);
    const words = slice.flatMap((token) => (token.is === 'word' ? [token.word] : []));
    const said = words.join(' ');
    const meaning = words.length === length ? lexicon.get(said) : undefined;
    if (meaning !== undefined) return { meaning, said, length };
  }
  return undefined;
}

const MAX_PHRASE_WORDS = 7;
const MAX_RANGE = 20;

function toToken(groups: Record<string, string | undefined>): Token | 'unreadable' | undefined {
  const { range, number, word, emoji, pause, plus } = groups;
  if (range !== undefined) return toRange(range);
  if (number !== undefined) {
    return { is: 'numbers', numbers: [digits(number)], hash: number.startsWith('#') };
  }
  const said = word ?? emoji;
  if (said !== undefined) return { is: 'word', word: said };
  if (pause !== undefined) return { is: 'pause' };
  return plus === undefined ? undefined : { is: 'and' };
}

function toRange(range: string): Token | 'unreadable' {
  const [from = 0, to = 0] = range.split(/[–-]/).map(digits);
  return rangeOf(from, to, range.includes('#')) ?? 'unreadable';
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
