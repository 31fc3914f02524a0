import { noteOperand } from './content/operands.ts';
import { type Context, type Segment, spend } from './context.ts';
import { fileNamed } from './destroyed.ts';
import { guestTree } from './guest-trees.ts';
import {
  candidates,
  isOddDevice,
  isRawDevice,
  isSystemText,
  isWatchdog,
  normalise,
} from './places.ts';
import { canBeSecret, mayBeUsualSecret } from './secrets.ts';
import { literal, show, type Value } from './value.ts';

/** Telling whether a word can name a secret, from one directory. */
const FILE = 4;
const WILD_FILE = 24;
/** The same where the last part is nothing but wildcards: each known secret's name is tried. */
const ANY_FILE = 160;

function workOf(value: Value): number {
  if (value.text !== undefined) return FILE;
  return /[*?]+$/.test(value.pattern) ? ANY_FILE : WILD_FILE;
}

/**
 * Notes what comes out when these files are read. `print`: the contents are the point of the
 * command; `scan`: any of the words might be a file, so only secrets and odd devices count.
 */
export function readsOut(
  values: readonly Value[],
  mode: 'print' | 'scan',
  context: Context,
  segment: Segment,
): void {
  for (const value of values) readOne(value, mode, context, segment);
}

function readOne(value: Value, mode: 'print' | 'scan', context: Context, segment: Segment): void {
  const { directories } = context.scope;
  noteOperand(value, mode, context);
  if (value.pattern === '/dev/fd/*') return;
  spend(context, workOf(value) * directories.length);
  const secret = possibleFiles(value).find((file) => canBeSecret(file, directories));
  if (secret) noteSecret(secret, context, segment);
  else if (mode === 'print') readPlain(value, context, segment);
}

function readPlain(value: Value, context: Context, segment: Segment): void {
  const text = value.text ?? value.prefix;
  const paths = candidates(text, context.scope.directories);
  // Where it may split, only the first of its words begins as it is written.
  const splits = value.words === 'any' && value.pattern.includes('**');
  if (value.text === undefined && (splits || !value.prefix.startsWith('/'))) {
    noteUnseen(value, context, segment);
    context.report.addFlags(['outside_text']);
    return;
  }
  if (mayBeUsualSecret(value)) noteUnseen(value, context, segment);
  if (text !== '-' && !text.startsWith('/dev/') && !paths.every(isSystemText)) {
    context.report.addFlags(['outside_text']);
  }
  for (const path of text === '-' ? [] : paths) {
    noteDevice(value.text === undefined ? sampleOf(value) : path, context, segment);
    noteGuestTree(path, context, segment);
  }
}

/** A file the pattern can become: below /proc it can be what others have open. */
function sampleOf({ pattern }: Value): string {
  return normalise(pattern.replace(/\[[^\]]*\]|\*+|\?/g, '1'));
}

/** On a host, a file that a guest may have replaced by a link to one of the host's secrets. */
function noteGuestTree(path: string, context: Context, segment: Segment): void {
  const tree = context.place === undefined ? guestTree(path, context.facts) : undefined;
  if (tree === undefined) return;
  const { why, safer } = tree;
  context.report.add({ ...segment, rule: 'guest file', why, class: 'config_mutation', safer });
}

function noteUnseen(value: Value, context: Context, segment: Segment): void {
  if (value.pattern !== '**' && value.words === 'files') return;
  context.report.add({
    ...segment,
    rule: 'unseen file',
    why: `prints the file ${show(value)}, whose name is decided at run time`,
    class: 'config_mutation',
  });
}

function noteDevice(path: string, context: Context, segment: Segment): void {
  if (isWatchdog(path) || isRawDevice(path)) {
    const why = isWatchdog(path)
      ? 'opening the watchdog can restart the machine'
      : `reads the raw device ${path}`;
    const place = context.place?.text;
    const objects = [{ verb: 'read', name: path, ...(place && { within: place }) }];
    context.report.add({ ...segment, rule: 'device', why, class: 'destructive', objects });
  } else if (isOddDevice(path)) {
    const why = `reads the device or stream ${path}`;
    context.report.add({ ...segment, rule: 'device', why, class: 'config_mutation' });
  }
}

/** Notes that a secret would come out. */
function noteSecret(file: Value, context: Context, segment: Segment): void {
  context.report.add({
    ...segment,
    rule: 'secret',
    why: `reads ${show(file)}, which can hold a secret`,
    class: 'destructive',
    flags: ['secret'],
    objects: [{ verb: 'read', ...fileNamed(file, context) }],
  });
}

/** The files one word may name: itself, after `=`, after `@`, glued to a short option, in a list. */
function possibleFiles(value: Value): readonly Value[] {
  const text = value.text;
  if (text === undefined) return value.pattern === '**' ? [] : [value];
  const files = [text];
  const equals = text.indexOf('=');
  if (equals >= 0) files.push(text.slice(equals + 1));
  const at = text.indexOf('@');
  if (at >= 0) files.push(text.slice(at + 1));
  if (/^-[A-Za-z]./.test(text)) files.push(text.slice(2));
  if (text.includes(':')) files.push(...text.split(':'));
  return [...new Set(files)].filter((file) => file !== '').map(literal);
}
