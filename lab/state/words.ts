/**
 * The words of one simple shell command, quotes resolved; undefined for anything that a shell would
 * have to think about (pipes, redirections, expansions, several commands). Pure.
 */
export function simpleWords(command: string): readonly string[] | undefined {
  const { words, rest } = leadingWords(command.trim());
  // A line break here would begin another command.
  return rest === '' ? words : undefined;
}

/** The words that a text begins with, and what follows where a shell would have to think. */
export function leadingWords(text: string): {
  readonly words: readonly string[];
  readonly rest: string;
} {
  const words: string[] = [];
  let rest = text;
  while (rest !== '') {
    const word = readWord(rest);
    if (word === undefined || word.length === 0) break;
    words.push(word.text);
    rest = rest.slice(word.length).replace(/^[ \t]+/, '');
  }
  return { words, rest };
}

const PIECES: readonly (readonly [RegExp, (match: RegExpExecArray) => string])[] = [
  [/^'([^']*)'/, ([, text = '']) => text],
  // A variable stays as it is written: the lab only meets the caller's "$HOME" there.
  [/^"([^"\\`]*)"/, ([, text = '']) => text],
  [/^\\([\s\S])/, ([, text = '']) => text],
  [/^[^\s'"\\|&;<>()$`*?[\]{}~#!\n]+/, ([text]) => text],
];

function readWord(text: string): { text: string; length: number } | undefined {
  let at = 0;
  let word = '';
  while (at < text.length && !/\s/.test(text.charAt(at))) {
    const rest = text.slice(at);
    const found = PIECES.map(([pattern, read]) => ({ match: pattern.exec(rest), read })).find(
      ({ match }) => match !== null,
    );
    if (!found?.match) return undefined;
    word += found.read(found.match);
    at += found.match[0].length;
  }
  return { text: word, length: at };
}
