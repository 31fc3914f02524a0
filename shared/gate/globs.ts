import { stepToParent } from './places.ts';
import { literal, type Value } from './value.ts';

const MAX_PATTERN_LENGTH = 512;
const MAX_WILDCARDS = 8;

// POSIX 9.3.5: `]` right after the opening (or its `!`) is a member, and so is what `[:x:]` holds.
const WELL_FORMED = /\[(?::[a-z]+:|=.=|\..\.)\]/g;
const POSIX_SET = /^\[[!^]?\]?(?:\[:[a-z]+:\]|\[=.=\]|\[\..\.\]|\\.|[^\]\\])*\]/;

/**
 * Whether a pattern of `Value.pattern` can become `text`. A pattern too long or too wild to judge
 * answers true: the caller then assumes the worst.
 */
export function canMatch(pattern: string, text: string): boolean {
  return matcher(pattern)(text);
}

/** `canMatch` for many texts: the pattern is read once. */
export function matcher(pattern: string): (text: string) => boolean {
  if (pattern.length > MAX_PATTERN_LENGTH) return () => true;
  // Neighbouring wildcards say nothing more than one, and would take for ever to try.
  const simple = pattern.replace(/\*{2,}/g, '**');
  if ((simple.match(/\*+/g) ?? []).length > MAX_WILDCARDS) return () => true;
  const expression = compile(simple);
  return (text) => expression === undefined || expression.test(text);
}

/** Whether a piece of a pattern holds an unescaped wildcard. */
export function isWild(pattern: string): boolean {
  return /[*?[]/.test(pattern.replace(/\\./gs, ''));
}

/** The text of a piece without wildcards. */
export function plain(pattern: string): string {
  return pattern.replace(/\\(.)/gs, '$1');
}

/** What is unknown inside a word may be nothing: `/d$(true)ev/sda` is the disk. */
export function closedUp(word: Value): Value {
  if (word.text !== undefined || !/[^*]\*\*|\*\*[^*]/.test(word.pattern)) return word;
  const rest = word.pattern.replace(/\\.|\*{2,}/gs, (token) =>
    token.startsWith('\\') ? token : '',
  );
  return isWild(rest) ? { ...word, pattern: rest } : literal(plain(rest));
}

function compile(pattern: string): RegExp | undefined {
  let source = '';
  for (let i = 0; i < pattern.length; ) {
    const [piece, used] = translate(pattern, i);
    source += piece;
    i += used;
  }
  try {
    return new RegExp(`^${source}$`);
  } catch {
    return undefined;
  }
}

/** The expression for the token at `at`, and how many characters it took. */
function translate(pattern: string, at: number): [string, number] {
  const char = pattern.charAt(at);
  if (char === '\\') return [quote(pattern.charAt(at + 1) || '\\'), 2];
  if (pattern.startsWith('**', at)) return ['.*', 2];
  if (char === '*') return ['[^/]*', 1];
  if (char === '?') return ['[^/]', 1];
  if (char === '[') return translateSet(pattern, at);
  return [quote(char), 1];
}

/** A set may hold anything, also classes and ranges of other alphabets: any one character will do. */
function translateSet(pattern: string, at: number): [string, number] {
  const slash = pattern.indexOf('/', at);
  const segment = pattern.slice(at, slash < 0 ? undefined : slash);
  const closed = POSIX_SET.exec(segment)?.[0];
  // Shells differ in where a set with an odd inner bracket ends, and an unknown stretch could end it.
  if (closed?.includes('**')) return ['.*', segment.length];
  const odd = /\[[:=.]/.test((closed ?? segment).slice(1).replace(WELL_FORMED, ''));
  if (odd) return ['[^/]*', segment.length];
  if (closed !== undefined) return ['[^/]', closed.length];
  return segment.includes('**') ? ['.*', segment.length] : [quote('['), 1];
}

function quote(char: string): string {
  return char.replace(/[.+^${}()|/\\*?[\]-]/g, '\\$&');
}

/**
 * An absolute pattern without `.`, `..`, doubled slashes and the doors `/proc/PID/root` and `cwd`.
 * Undefined where nobody can say what it names: `..` after a wildcard follows an unknown link.
 */
export function foldPattern(pattern: string): string | undefined {
  const kept: string[] = [];
  for (const part of pattern.split('/')) {
    const name = isWild(part) ? undefined : plain(part);
    if (name === '' || name === '.') continue;
    if (name === '..') {
      if (!stepUp(kept)) return undefined;
      continue;
    }
    // Older shells let `.*` and `.?` become `..`, but nothing said about a last one is read as a file.
    if (name === undefined && canBeParent(part) && part !== lastPart(pattern)) return undefined;
    kept.push(part);
    leaveProcess(kept);
  }
  return kept[0] === '**' ? kept.join('/') : `/${kept.join('/')}`;
}

function stepUp(kept: string[]): boolean {
  const last = kept.at(-1);
  if (last?.includes('**')) {
    kept.splice(0, kept.length, '**');
    return true;
  }
  stepToParent(kept);
  return last === undefined || !isWild(last);
}

function canBeParent(part: string): boolean {
  return /^(\.|\\\.)/.test(part) && !part.includes('**') && canMatch(part, '..');
}

function lastPart(pattern: string): string {
  return pattern.slice(pattern.lastIndexOf('/') + 1);
}

// Below /proc a process's root is the root, and its working directory is any directory.
function leaveProcess(kept: string[]): void {
  const depth = kept[2] === 'task' ? 5 : 3;
  const door = kept[depth - 1];
  if (kept.length !== depth || door === undefined || !canMatch(kept[0] ?? '', 'proc')) return;
  if (kept[0] === '**') return;
  const sure = !isWild(door);
  if (plain(door) === 'root' || (!sure && canMatch(door, 'root'))) {
    kept.splice(0, kept.length, ...(sure ? [] : ['**']));
  } else if (canMatch(door, 'cwd')) kept.splice(0, kept.length, '**');
}
