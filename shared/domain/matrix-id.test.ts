import { expect, it } from 'vitest';
import { localPart } from './matrix-id.ts';

it.each([
  ['@op:example.org', 'op'],
  ['@a:b:8448', 'a'],
  ['nonsense', 'nonsense'],
])('the local part of %s is %s', (userId, local) => {
  expect(localPart(userId)).toBe(local);
});
