import { shownObject } from '../../shared/domain/objects.ts';
import { minutesLeft, timeText } from './time-text.ts';

/** What a window covers: the further changes of a task, or further work on one object of it. */
export interface Covered {
  readonly task?: number | undefined;
  readonly object?: string | null | undefined;
}

/** What one yes opened, as one line, however much that is. */
export function windowsOpenLine(
  windows: readonly (Covered & { readonly until: Date })[],
  { by, now, timeZone }: { readonly by: string; readonly now: Date; readonly timeZone: string },
): string {
  const parts = windows.map((window) => {
    const until = `${timeText(window.until, timeZone)} (${minutesLeft(window.until, now)})`;
    return { until, what: whatOf(window) };
  });
  const [first] = parts;
  const text =
    parts.length === 1 && first
      ? `Window open until ${first.until}: ${first.what} at once`
      : `Windows open: ${parts.map(({ until, what }) => `${what} at once until ${until}`).join('; ')}`;
  return `${text}, by ${by}'s yes. !oikos revoke closes ${parts.length === 1 ? 'it' : 'them'}.`;
}

/** They cover nothing more, and why. */
export function windowsClosedLine(windows: readonly Covered[], why: string): string {
  const what = windows.map(nameOf).join(' and ');
  const asks = windows.length === 1 && isOne(windows[0]) ? 'asks' : 'ask';
  return `Window${windows.length === 1 ? '' : 's'} closed, ${why}: ${what} ${asks} again.`;
}

function whatOf(window: Covered): string {
  return `${nameOf(window)} ${isOne(window) ? 'runs' : 'run'}`;
}

function nameOf({ task, object }: Covered): string {
  const of = task === undefined ? '' : ` of T${task}`;
  return object == null ? `further changes${of}` : `further work${of} on ${shownObject(object)}`;
}

function isOne(window: Covered | undefined): boolean {
  return window?.object != null;
}
