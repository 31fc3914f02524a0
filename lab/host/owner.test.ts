import { expect, it } from 'vitest';
import { asOwner, labOwner } from './owner.ts';

it('gives root up for an id that owns nothing', () => {
  const owner = labOwner(0, 0);
  expect(owner.uid).toBeGreaterThan(0);
  expect(asOwner(owner)).toContain(`--reuid=${owner.uid}`);
});

it('keeps an ordinary user', () => {
  expect(labOwner(1000, 1000)).toEqual({ uid: 1000, gid: 1000, isRoot: false });
  expect(asOwner(labOwner(1000, 1000))).toEqual([]);
});
