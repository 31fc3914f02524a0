import { type Command, type ParsedScript, parse, type Word, type WordPart } from 'unbash';
import { checkBounds } from './bounds.ts';
import { findBashism } from './dialect.ts';
import { doubts } from './distrust.ts';

/**
 * The words of a command line that is one simple command and nothing else: no assignment, no
 * redirection, no word that depends on anything but the text. Undefined for every other line, so
 * that two lines of one argv do the same, however they are quoted.
 */
export function simpleArgv(
  command: string,
  shell: 'bash' | 'posix',
): readonly string[] | undefined {
  const call = soleCommand(command, shell);
  if (call?.name === undefined || call.prefix.length > 0 || call.redirects.length > 0) {
    return undefined;
  }
  const words = staticWords(call);
  return words?.[0] === '' ? undefined : words;
}

/** The words of a simple command; undefined when one of them depends on anything but the text. */
export function staticWords({ name, args }: Command): readonly string[] | undefined {
  const words: string[] = [];
  for (const word of name === undefined ? args : [name, ...args]) {
    const text = word.type === 'Word' ? staticText(word) : undefined;
    if (text === undefined) return undefined;
    words.push(text);
  }
  return words;
}

function soleCommand(command: string, shell: 'bash' | 'posix'): Command | undefined {
  const [statement, ...more] = clearScript(command, shell)?.commands ?? [];
  if (!statement || more.length > 0 || statement.background) return undefined;
  return statement.command.type === 'Command' ? statement.command : undefined;
}

/** The syntax of a command line in which nothing is doubtful; undefined for any other. */
export function clearScript(command: string, shell: 'bash' | 'posix'): ParsedScript | undefined {
  if (checkBounds(command).problems.length > 0) return undefined;
  const script = parsed(command);
  if (!script || script.errors?.length || doubts(script, command).length > 0) return undefined;
  return shell === 'posix' && findBashism(script) ? undefined : script;
}

/** Undefined where the parser itself gives up: the gate judges such a line, it has no words. */
function parsed(command: string): ParsedScript | undefined {
  try {
    return parse(command);
  } catch {
    return undefined;
  }
}

/** The text of a word without expansions; a leading tilde is one. */
function staticText(word: Word): string | undefined {
  if (word.text.startsWith('~')) return undefined;
  if (word.parts === undefined) return word.value;
  const texts = word.parts.map((part) => staticPart(part));
  return texts.includes(undefined) ? undefined : texts.join('');
}

function staticPart(part: WordPart): string | undefined {
  if (part.type === 'Literal' || part.type === 'SingleQuoted') return part.value;
  if (part.type !== 'DoubleQuoted') return undefined;
  const texts = part.parts.map((inner) => (inner.type === 'Literal' ? inner.value : undefined));
  return texts.includes(undefined) ? undefined : texts.join('');
}

const PLAIN_WORD = /^[\w@%+=:,./-]+$/;

/** The words as one line that a shell would read back as the same words. */
export function argvText(argv: readonly string[]): string {
  return argv
    .map((word) => (PLAIN_WORD.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`))
    .join(' ');
}
