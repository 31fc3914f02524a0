/** The journal of the systemd stand-in: one line an entry, fields divided by tabs, and journalctl's ways to show them. Pure. */

export interface JournalEntry {
  readonly atMs: number;
  readonly unit: string;
  readonly identifier: string;
  readonly pid: number;
  /** Syslog priority, 0 (emerg) to 7 (debug). */
  readonly priority: number;
  readonly message: string;
}

export const JOURNAL_FORMATS = ['short', 'short-iso', 'cat', 'json'] as const;
export type JournalFormat = (typeof JOURNAL_FORMATS)[number];

export interface JournalFilter {
  readonly units: readonly string[];
  /** Undefined shows all. */
  readonly lastLines?: number;
  readonly maxPriority: number;
  readonly sinceMs?: number;
  readonly untilMs?: number;
  readonly pattern?: RegExp;
}

const PRIORITIES = ['emerg', 'alert', 'crit', 'err', 'warning', 'notice', 'info', 'debug'];
const UNIT_MS: Readonly<Record<string, number>> = {
  s: 1000,
  sec: 1000,
  second: 1000,
  seconds: 1000,
  m: 60_000,
  min: 60_000,
  minute: 60_000,
  minutes: 60_000,
  h: 3_600_000,
  hour: 3_600_000,
  hours: 3_600_000,
  d: 86_400_000,
  day: 86_400_000,
  days: 86_400_000,
  w: 604_800_000,
  week: 604_800_000,
  weeks: 604_800_000,
};

/** Lines that are no entry (cut by a crash) are skipped, as journald does with a torn tail. */
export function parseJournal(text: string): JournalEntry[] {
  return text.split('\n').flatMap((line) => parseEntry(line) ?? []);
}

function parseEntry(line: string): JournalEntry | undefined {
  const [, atMs, unit = '', identifier = '', pid, priority, message = ''] =
    /^(\d+)\t([^\t]*)\t([^\t]*)\t(\d+)\t([0-7])\t(.*)$/.exec(line) ?? [];
  if (atMs === undefined) return undefined;
  return {
    atMs: Number(atMs),
    unit,
    identifier,
    pid: Number(pid),
    priority: Number(priority),
    message,
  };
}

export function formatEntryLine(entry: JournalEntry): string {
  const { atMs, unit, identifier, pid, priority, message } = entry;
  return `${[atMs, unit, identifier, pid, priority, message.replaceAll(/[\t\n]/g, ' ')].join('\t')}\n`;
}

export function selectEntries(
  entries: readonly JournalEntry[],
  filter: JournalFilter,
): JournalEntry[] {
  const { sinceMs = Number.NEGATIVE_INFINITY, untilMs = Number.POSITIVE_INFINITY } = filter;
  const selected = entries.filter(
    (entry) =>
      (filter.units.length === 0 || filter.units.includes(entry.unit)) &&
      entry.priority <= filter.maxPriority &&
      entry.atMs >= sinceMs &&
      entry.atMs <= untilMs &&
      (filter.pattern?.test(entry.message) ?? true),
  );
  if (filter.lastLines === undefined) return selected;
  return filter.lastLines === 0 ? [] : selected.slice(-filter.lastLines);
}

export function formatEntry(entry: JournalEntry, host: string, format: JournalFormat): string {
  const iso = new Date(entry.atMs).toISOString();
  const source = `${host} ${entry.identifier}[${entry.pid}]: ${entry.message}`;
  switch (format) {
    case 'cat':
      return `${entry.message}\n`;
    case 'short-iso':
      return `${iso.slice(0, 19)}+00:00 ${source}\n`;
    case 'short':
      return `${shortStamp(iso)} ${source}\n`;
    case 'json':
      return `${JSON.stringify({
        __REALTIME_TIMESTAMP: `${entry.atMs}000`,
        PRIORITY: String(entry.priority),
        SYSLOG_IDENTIFIER: entry.identifier,
        _HOSTNAME: host,
        _PID: String(entry.pid),
        _SYSTEMD_UNIT: entry.unit,
        MESSAGE: entry.message,
      })}\n`;
  }
}

/** `err` or `3`; undefined when it is neither. */
export function readPriority(word: string): number | undefined {
  if (/^[0-7]$/.test(word)) return Number(word);
  const index = PRIORITIES.indexOf(word);
  return index < 0 ? undefined : index;
}

/** `--since`: a date, `today`, `yesterday`, `now`, `10 min ago`, `-1h`; undefined when it is no time. */
export function readTime(word: string, nowMs: number): number | undefined {
  const midnight = nowMs - (nowMs % 86_400_000);
  if (word === 'now') return nowMs;
  if (word === 'today') return midnight;
  if (word === 'yesterday') return midnight - 86_400_000;
  return readSpanBefore(word, nowMs) ?? readDate(word, midnight);
}

function readSpanBefore(word: string, nowMs: number): number | undefined {
  const [, signed, plain] = /^(?:-\s*(\d+\s*[a-z]+)|(\d+\s*[a-z]+)\s+ago)$/.exec(word) ?? [];
  const [, count, unit = ''] = /^(\d+)\s*([a-z]+)$/.exec(signed ?? plain ?? '') ?? [];
  const unitMs = UNIT_MS[unit];
  return unitMs === undefined ? undefined : nowMs - Number(count) * unitMs;
}

function readDate(word: string, midnightMs: number): number | undefined {
  const [, date, time = '00:00:00'] =
    /^(\d{4}-\d\d-\d\d)?(?:^|[ T]|$)(\d\d:\d\d(?::\d\d)?)?$/.exec(word) ?? [];
  if (word === '' || (date === undefined && !word.includes(':'))) return undefined;
  const day = date ?? new Date(midnightMs).toISOString().slice(0, 10);
  const atMs = Date.parse(`${day}T${time.length === 5 ? `${time}:00` : time}Z`);
  return Number.isNaN(atMs) ? undefined : atMs;
}

function shortStamp(iso: string): string {
  const months = [
    'Jan',
    'Feb',
    'Mar',
    'Apr',
    'May',
    'Jun',
    'Jul',
    'Aug',
    'Sep',
    'Oct',
    'Nov',
    'Dec',
  ];
  return `${months[Number(iso.slice(5, 7)) - 1]} ${iso.slice(8, 10)} ${iso.slice(11, 19)}`;
}
