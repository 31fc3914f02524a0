import { expect, it } from 'vitest';
import { isStricter, RISK_CLASSES, stricter } from './risk.ts';

it('takes the stricter of two classes, whichever comes first', () => {
  expect(stricter('read_only', 'destructive')).toBe('destructive');
  expect(stricter('config_mutation', 'reversible_low')).toBe('config_mutation');
  for (const risk of RISK_CLASSES) expect(stricter(risk, risk)).toBe(risk);
});

it('calls a class stricter only than the milder ones', () => {
  expect(isStricter('destructive', 'config_mutation')).toBe(true);
  expect(isStricter('read_only', 'read_only')).toBe(false);
  expect(isStricter('reversible_low', 'config_mutation')).toBe(false);
});
