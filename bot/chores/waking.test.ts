import { expect, it } from 'vitest';
import { isWaking } from './waking.ts';

const at = (time: string) => new Date(`2026-01-15T${time}:00Z`);

it.each([
  ['in the middle of the day', '12:00', { from: 8, to: 22 }, 'UTC', true],
  ['at the first minute', '08:00', { from: 8, to: 22 }, 'UTC', true],
  ['a minute before', '07:59', { from: 8, to: 22 }, 'UTC', false],
  ['at the hour that no longer counts', '22:00', { from: 8, to: 22 }, 'UTC', false],
  ['where it is morning already', '07:30', { from: 8, to: 22 }, 'Europe/Berlin', true],
  ['where it is night', '22:30', { from: 8, to: 24 }, 'Europe/Berlin', true],
  ['past midnight there', '23:30', { from: 8, to: 24 }, 'Europe/Berlin', false],
  ['over midnight, late', '23:00', { from: 20, to: 4 }, 'UTC', true],
  ['over midnight, early', '03:00', { from: 20, to: 4 }, 'UTC', true],
  ['over midnight, at noon', '12:00', { from: 20, to: 4 }, 'UTC', false],
  ['at midnight itself', '00:00', { from: 0, to: 24 }, 'UTC', true],
])('tells waking hours %s', (_when, time, hours, zone, waking) => {
  expect(isWaking(at(time), hours, zone)).toBe(waking);
});
