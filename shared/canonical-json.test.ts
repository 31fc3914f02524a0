import { expect, it } from 'vitest';
import { canonicalJson } from './canonical-json.ts';

it.each([
  [
    { b: 1, a: { d: [2, 1], c: null } },
    { a: { c: null, d: [2, 1] }, b: 1 },
  ],
  [{ a: undefined, b: 1 }, { b: 1 }],
])('%j reads as one text, whatever the order of its keys', (one, other) => {
  expect(canonicalJson(one)).toBe(canonicalJson(other));
});

it('keeps the order of lists', () => {
  expect(canonicalJson([2, 1])).not.toBe(canonicalJson([1, 2]));
});
