/** `journalctl`: reads the lines that the units of this root have written. */
import { hostname } from 'node:os';
import { type Answer, printed, refused } from './answer.ts';
import {
  formatEntry,
  JOURNAL_FORMATS,
  type JournalFilter,
  readPriority,
  readTime,
  selectEntries,
} from './journal.ts';
import { readJournal } from './service.ts';
import { type GnuOptions, readGnuArguments } from './short-options.ts';
import { unitName } from './units.ts';

const flag = (name: string) => ({ name, value: false });
const value = (name: string) => ({ name, value: true });
const OPTIONS: GnuOptions = {
  '-u': value('unit'),
  '--unit': value('unit'),
  '-n': value('lines'),
  '--lines': value('lines'),
  '-p': value('priority'),
  '--priority': value('priority'),
  '-S': value('since'),
  '--since': value('since'),
  '-U': value('until'),
  '--until': value('until'),
  '-o': value('output'),
  '--output': value('output'),
  '-g': value('grep'),
  '--grep': value('grep'),
  '-b': flag('boot'),
  '--boot': flag('boot'),
  '-k': flag('dmesg'),
  '-x': flag('catalog'),
  '-e': flag('end'),
  '-r': flag('reverse'),
  '--reverse': flag('reverse'),
  '-q': flag('quiet'),
  '--no-pager': flag('no-pager'),
  '--no-hostname': flag('no-hostname'),
  '--disk-usage': flag('disk-usage'),
};

export function journalctl(args: readonly string[]): Answer {
  const read = readGnuArguments(args, OPTIONS);
  if (!read.ok) return refused(`journalctl: ${read.message}`, 1);
  const last = (name: string) => read.options.get(name)?.at(-1);
  if (read.options.has('disk-usage')) {
    return printed('Archived and active journals take up 48.0M in the file system.\n');
  }
  const filter = readFilter(last, (read.options.get('unit') ?? []).map(unitName), Date.now());
  if ('code' in filter) return filter;
  const format = JOURNAL_FORMATS.find((name) => name === (last('output') ?? 'short'));
  if (format === undefined) return refused(`Unknown output format '${last('output')}'.`, 1);
  const entries = read.options.has('dmesg') ? [] : selectEntries(readJournal(), filter);
  if (read.options.has('reverse')) entries.reverse();
  if (entries.length === 0) return printed(read.options.has('quiet') ? '' : '-- No entries --\n');
  return printed(entries.map((entry) => formatEntry(entry, hostname(), format)).join(''));
}

function readFilter(
  last: (name: string) => string | undefined,
  units: readonly string[],
  nowMs: number,
): JournalFilter | Answer {
  const maxPriority = readPriority(last('priority') ?? 'debug');
  if (maxPriority === undefined) return refused(`Unknown log level ${last('priority')}`, 1);
  const times: { sinceMs?: number; untilMs?: number } = {};
  for (const name of ['since', 'until'] as const) {
    const word = last(name);
    if (word === undefined) continue;
    const atMs = readTime(word, nowMs);
    if (atMs === undefined) return refused(`Failed to parse timestamp: ${word}`, 1);
    times[`${name}Ms`] = atMs;
  }
  const lines = last('lines');
  if (lines !== undefined && !/^(\d+|all)$/.test(lines)) {
    return refused(`Failed to parse lines '${lines}'`, 1);
  }
  const pattern = readPattern(last('grep'));
  if (pattern === null) return refused(`Bad pattern "${last('grep')}"`, 1);
  return {
    units,
    maxPriority,
    ...times,
    ...(lines !== undefined && lines !== 'all' && { lastLines: Number(lines) }),
    ...(pattern && { pattern }),
  };
}

/** Lower-case patterns ignore case, as journalctl does; null when it is no pattern. */
function readPattern(grep: string | undefined): RegExp | undefined | null {
  if (grep === undefined) return undefined;
  try {
    return new RegExp(grep, grep === grep.toLowerCase() ? 'i' : '');
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
