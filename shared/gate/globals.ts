import type { Value } from './value.ts';

/** Each of them makes a text of its own. */
const MAX_OPTIONS = 8;

/** The words joined by blanks; what is decided at run time as far as it is known. */
export function textOfWords(words: readonly Value[]): string {
  return words.map((word) => word.text ?? word.pattern.replaceAll('**', '…')).join(' ');
}

/** A form that starts with the verb, and not with options of its own: options before it would hide it. */
export function beginsWithVerb(form: RegExp): boolean {
  return /^\^(?![$\\]|\(\?!|\(-)/.test(form.source);
}

/** The line from behind the options before its verb, each of which may have taken a value. */
export function laterLines(words: readonly Value[]): readonly string[] {
  const starts: number[] = [];
  let at = 0;
  while (isOption(words[at]) && starts.length < 2 * MAX_OPTIONS) {
    starts.push(++at);
    if (at < words.length && !isOption(words[at])) starts.push(++at);
  }
  return starts.map((start) => textOfWords(words.slice(start)));
}

function isOption(word: Value | undefined): boolean {
  return word?.prefix.startsWith('-') ?? false;
}
