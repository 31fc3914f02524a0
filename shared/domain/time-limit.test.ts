import { expect, it } from 'vitest';
import { clampTimeLimit, MAX_LIMIT_MS, patienceMs } from './time-limit.ts';

it('gives each class its own limit, and a request its bounds', () => {
  expect(clampTimeLimit('read_only')).toBe(60_000);
  expect(clampTimeLimit('reversible_low')).toBe(120_000);
  expect(clampTimeLimit('destructive')).toBe(900_000);
  expect(clampTimeLimit('read_only', 90_500.4)).toBe(90_500);
  expect(clampTimeLimit('read_only', 0)).toBe(1_000);
  expect(clampTimeLimit('read_only', Number.MAX_SAFE_INTEGER)).toBe(MAX_LIMIT_MS);
});

it('waits longer for a read than for a change', () => {
  expect(patienceMs('read_only')).toBe(60_000);
  expect(patienceMs('config_mutation')).toBe(20_000);
});
