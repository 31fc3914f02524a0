import { expect, it } from 'vitest';
import { windowsClosedLine, windowsOpenLine } from './window-lines.ts';

const now = new Date('2026-11-30T12:00:00Z');
const until = (minutes: number) => new Date(now.getTime() + minutes * 60_000);
const opened = { by: '@op:oikos.test', now, timeZone: 'UTC' };

it('tells one window', () => {
  expect(windowsOpenLine([{ task: 3, until: until(30) }], opened)).toBe(
    "Window open until 12:30, 30 Nov (UTC) (30 min): further changes of T3 run at once, by @op:oikos.test's yes. !oikos revoke closes it.",
  );
  expect(windowsClosedLine([{ task: 3, object: 'lxc/135@host:lab' }], 'its time is over')).toBe(
    'Window closed, its time is over: further work of T3 on lxc/135@host:lab asks again.',
  );
});

it('tells what one confirmed destruction opened in one line', () => {
  const both = [
    { task: 3, until: until(30) },
    { task: 3, object: 'lxc/135@host:lab', until: until(15) },
  ];
  expect(windowsOpenLine(both, opened)).toBe(
    "Windows open: further changes of T3 run at once until 12:30, 30 Nov (UTC) (30 min); further work of T3 on lxc/135@host:lab runs at once until 12:15, 30 Nov (UTC) (15 min), by @op:oikos.test's yes. !oikos revoke closes them.",
  );
  expect(windowsClosedLine(both, '@op:oikos.test said no')).toBe(
    'Windows closed, @op:oikos.test said no: further changes of T3 and further work of T3 on lxc/135@host:lab ask again.',
  );
});
