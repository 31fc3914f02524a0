import { expect, it } from 'vitest';
import { isLasting, LASTING_KINDS } from './audit.ts';

it.each(LASTING_KINDS)('counts %s for ever', (kind) => {
  expect(isLasting(kind)).toBe(true);
});

it.each(['execution.granted', 'room.paused', ''])('does not count "%s" for ever', (kind) => {
  expect(isLasting(kind)).toBe(false);
});
