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

/** `0.4 s`, `12 s`, `3 min 5 s`. */
export function durationText(milliseconds: number): string {
  const seconds = Math.max(0, milliseconds) / 1_000;
  if (seconds < 9.95) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  return whole < 60 ? `${whole} s` : `${Math.floor(whole / 60)} min ${whole % 60} s`;
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
