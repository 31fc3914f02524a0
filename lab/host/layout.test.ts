import { expect, it } from 'vitest';
import { pickStage } from './layout.ts';

it('never hides what the lab needs', () => {
  expect(pickStage(['/home/a/lab'])).toBe('/mnt');
  expect(pickStage(['/mnt/data/lab', '/home/a/node'])).toBe('/media');
  expect(() => pickStage(['/mnt/a', '/media/b', '/srv/c'])).toThrow('no folder is free');
});
