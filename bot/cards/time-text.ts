/** `14:05, 30 Nov (Europe/Berlin)`: an absolute time that needs no clock to read. */
export function timeText(at: Date, timeZone: string): string {
  const parts = new Intl.DateTimeFormat('en-GB', {
    timeZone,
    hour: '2-digit',
    minute: '2-digit',
    hour12: false,
    day: 'numeric',
    month: 'short',
  }).formatToParts(at);
  const part = (type: string): string => parts.find((one) => one.type === type)?.value ?? '';
  return `${part('hour')}:${part('minute')}, ${part('day')} ${part('month')} (${timeZone})`;
}

/** Whole minutes until then, rounded up; `0 min` once it has passed. */
export function minutesLeft(until: Date, now: Date): string {
  return `${Math.max(0, Math.ceil((until.getTime() - now.getTime()) / 60_000))} min`;
}

/** `30 Nov 2026`. */
export function dateText(at: Date, timeZone: string): string {
  const options = { timeZone, day: 'numeric', month: 'short', year: 'numeric' } as const;
  const parts = new Intl.DateTimeFormat('en-GB', options).formatToParts(at);
  const part = (type: string): string => parts.find((one) => one.type === type)?.value ?? '';
  return `${part('day')} ${part('month')} ${part('year')}`;
}
