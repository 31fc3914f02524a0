/**
 * One argument as far as it is known before the command runs.
 *
 * `words` says how many words it becomes: `one`; `files` (a pattern the shell expands to any number
 * of names, each beginning with `prefix`); `any` (may split or vanish, nothing is certain).
 */
export interface Value {
  /** The exact text, or undefined when it is decided at run time. */
  readonly text: string | undefined;
  /** `*`, `?`, `[…]` within a path segment, `**` for an unknown stretch; literal ones are escaped. */
  readonly pattern: string;
  /** What it certainly begins with. */
  readonly prefix: string;
  readonly words: 'one' | 'files' | 'any';
}

/** The form of an address, a network card's name or a number that a program prints. */
export const PLAIN_OUTPUT = '[0-9a-z]*';

const ADDRESS_WORD = /^(?:\[0-9a-z\]\*|https?:\/\/\[0-9a-z\]\*(?:[:/][\w./:-]*)?)$/;

/** Whether a word can only be an address of that form, or http at it: never a file. */
export function isAddress({ text, pattern }: Value): boolean {
  return text === undefined && ADDRESS_WORD.test(pattern);
}

/** A word whose text is known. */
export function literal(text: string): Value {
  return { text, pattern: escapePattern(text), prefix: text, words: 'one' };
}

/** A word nobody knows. */
export function unknownWord(words: Value['words'], pattern = '**', prefix = ''): Value {
  return { text: undefined, pattern, prefix, words };
}

/** The text with wildcards made literal. */
export function escapePattern(text: string): string {
  return text.replace(/[\\*?[]/g, '\\$&');
}

/** Every text, or undefined when one of them is decided at run time. */
export function allTexts(values: readonly Value[]): readonly string[] | undefined {
  const texts: string[] = [];
  for (const value of values) {
    if (value.text === undefined) return undefined;
    texts.push(value.text);
  }
  return texts;
}

/** True when the word certainly is no option, wherever it stands. */
export function isNoOption(value: Value): boolean {
  if (value.text !== undefined) return value.text === '-' || !value.text.startsWith('-');
  if (value.words === 'any') return false;
  if (!value.pattern.startsWith(PLAIN_OUTPUT)) {
    return value.prefix !== '' && !value.prefix.startsWith('-');
  }
  // It may have printed nothing: then what follows begins the word.
  return /^([\w.:/@,]|$)/.test(value.pattern.slice(PLAIN_OUTPUT.length));
}

/** How a word is shown in an explanation. */
export function show(value: Value): string {
  return clip(value.text ?? value.pattern.replace(/\*\*/g, '…'));
}

/** At most 60 characters of a text, on one line. */
export function clip(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > 60 ? `${line.slice(0, 59)}…` : line;
}
