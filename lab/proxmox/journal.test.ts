import { describe, expect, it } from 'vitest';
import {
  formatEntry,
  formatEntryLine,
  type JournalEntry,
  parseJournal,
  readPriority,
  readTime,
  selectEntries,
} from './journal.ts';

const noon = Date.UTC(2026, 10, 29, 12);
const entry = (over: Partial<JournalEntry>): JournalEntry => ({
  atMs: noon,
  unit: 'nginx.service',
  identifier: 'nginx',
  pid: 71,
  priority: 6,
  message: 'started',
  ...over,
});

it('keeps an entry as one line, whatever the message holds', () => {
  const text = formatEntryLine(entry({ message: 'a\tb\nc' }));
  expect(parseJournal(`${text}torn li`)).toEqual([entry({ message: 'a b c' })]);
});

describe('selectEntries', () => {
  const entries = [
    entry({ message: 'one', atMs: noon - 7200_000 }),
    entry({ message: 'two', priority: 3 }),
    entry({ message: 'three', unit: 'cron.service' }),
  ];
  const all = { units: [], maxPriority: 7 };
  it.each([
    [{ ...all, units: ['nginx.service'] }, ['one', 'two']],
    [{ ...all, lastLines: 1 }, ['three']],
    [{ ...all, lastLines: 0 }, []],
    [{ ...all, maxPriority: 3 }, ['two']],
    [{ ...all, sinceMs: noon - 60_000 }, ['two', 'three']],
    [{ ...all, untilMs: noon - 60_000 }, ['one']],
    [{ ...all, pattern: /t[wh]/ }, ['two', 'three']],
  ])('%j', (filter, messages) => {
    expect(selectEntries(entries, filter).map(({ message }) => message)).toEqual(messages);
  });
});

it.each([
  ['short', 'Nov 29 12:00:00 web nginx[71]: started\n'],
  ['short-iso', '2026-11-29T12:00:00+00:00 web nginx[71]: started\n'],
  ['cat', 'started\n'],
] as const)('prints an entry as %s', (format, text) => {
  expect(formatEntry(entry({}), 'web', format)).toBe(text);
});

it.each([
  ['10 min ago', noon - 600_000],
  ['1 hour ago', noon - 3_600_000],
  ['-1h', noon - 3_600_000],
  ['-2 days', noon - 172_800_000],
  ['today', noon - 43_200_000],
  ['yesterday', noon - 129_600_000],
  ['2026-11-29', noon - 43_200_000],
  ['2026-11-29 11:30', noon - 1_800_000],
  ['2026-11-29T11:30:30', noon - 1_770_000],
  ['11:30', noon - 1_800_000],
  ['soon', undefined],
  ['', undefined],
])('reads the time %j', (word, atMs) => {
  expect(readTime(word, noon)).toBe(atMs);
});

it.each([
  ['err', 3],
  ['4', 4],
  ['loud', undefined],
])('reads the priority %s', (word, priority) => {
  expect(readPriority(word)).toBe(priority);
});
