import { createHash } from 'node:crypto';
import { printable } from '../../shared/printable.ts';

/** Characters of a command that a card shows whole; a longer one is attached as a file. */
export const MAX_SHOWN_COMMAND = 1_500;
const SHOWN_HEAD = 1_000;
const MAX_SUMMARY = 80;

export interface CommandText {
  readonly text: string;
  /** Set when only the head is shown: what the whole is, for one line below it. */
  readonly cut: { readonly shown: number; readonly total: number; readonly sha256: string } | null;
}

/**
 * A command as a person can check it: lines numbered when there are several; runs of spaces, tabs
 * and blank lines as counts, so that nothing hides off screen; every non-ASCII character with its
 * code point, so that a look-alike is seen.
 */
export function commandText(command: string): CommandText {
  const whole = command.replace(/\n$/, '');
  const points = [...whole];
  if (points.length <= MAX_SHOWN_COMMAND) return { text: shownLines(whole), cut: null };
  const sha256 = createHash('sha256').update(command).digest('hex');
  const head = points.slice(0, SHOWN_HEAD).join('');
  return {
    text: shownLines(head),
    cut: { shown: SHOWN_HEAD, total: points.length, sha256 },
  };
}

/** The command's first line for a card's head, at most 80 characters. */
export function commandSummary(command: string): string {
  const lines = command.trim().split('\n');
  const first = [...plainLine(lines[0] ?? '')];
  const cut = first.length > MAX_SUMMARY;
  const text = cut ? `${first.slice(0, MAX_SUMMARY - 1).join('')}…` : first.join('');
  return lines.length > 1 && !cut ? `${text} …` : text;
}

/** Above 4 KiB or 40 lines a bare yes is not enough: the card's number must be named. */
export function needsNumber(command: string): boolean {
  return Buffer.byteLength(command) > 4_096 || command.split('\n').length > 40;
}

/** Any text as a card shows it: several lines numbered, nothing hidden. */
export function shownLines(text: string): string {
  const lines = text.split('\n');
  if (lines.length === 1) return plainLine(text);
  const width = String(lines.length).length;
  const shown: string[] = [];
  for (let at = 0; at < lines.length; ) {
    const blank = countBlank(lines, at);
    if (blank > 0) shown.push(mark(blank === 1 ? '1 blank line' : `${blank} blank lines`));
    else shown.push(`${String(at + 1).padStart(width)}  ${plainLine(lines[at] ?? '')}`);
    at += Math.max(1, blank);
  }
  return shown.join('\n');
}

function countBlank(lines: readonly string[], from: number): number {
  const end = lines.findIndex((text, at) => at >= from && text.trim() !== '');
  return (end === -1 ? lines.length : end) - from;
}

function plainLine(text: string): string {
  const counted = text.replace(/ {3,}|\t+|[^\p{ASCII}]/gu, (found) => {
    if (found.startsWith('\t')) return mark(count(found.length, 'tab'));
    return found.startsWith(' ') ? mark(count(found.length, 'space')) : withCodePoint(found);
  });
  return printable(counted, { newlines: false });
}

/** `е⟨U+0435⟩`; a character that no screen shows is left to printable(). */
function withCodePoint(char: string): string {
  if (printable(char, { newlines: false }) !== char) return char;
  const hex = (char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
  return `${char}${mark(`U+${hex}`)}`;
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}

/** Our own words inside a command: a bracket of the command itself would carry its code point. */
function mark(text: string): string {
  return `⟨${text}⟩`;
}
