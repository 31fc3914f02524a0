import { describe, expect, it } from 'vitest';
import { type Block, planUpdate } from './screen.ts';

const block = (id: string, ...lines: string[]): Block => ({ id, lines });
const before = [block('a', 'A1', 'A2'), block('b', 'B1'), block('c', 'C1', 'C2')];

describe('planUpdate', () => {
  it('does nothing when nothing changed', () => {
    expect(planUpdate(before, before, 20)).toEqual({ up: 0, print: [], outOfReach: [] });
  });

  it('adds what is new below', () => {
    expect(planUpdate(before, [...before, block('d', 'D1')], 20)).toEqual({
      up: 0,
      print: ['D1'],
      outOfReach: [],
    });
  });

  it('rewrites from the changed block on', () => {
    const after = [before[0], block('b', 'B1 edited', 'B2'), before[2]].flatMap((one) => one ?? []);
    expect(planUpdate(before, after, 20)).toEqual({
      up: 3,
      print: ['B1 edited', 'B2', 'C1', 'C2'],
      outOfReach: [],
    });
  });

  it('says which change is out of sight, and leaves the screen above alone', () => {
    const after = [block('a', 'A1 edited'), ...before.slice(1), block('d', 'D1')];
    expect(planUpdate(before, after, 3)).toEqual({
      up: 3,
      print: ['B1', 'C1', 'C2', 'D1'],
      outOfReach: ['a'],
    });
  });

  it('takes away what is gone at the end', () => {
    expect(planUpdate(before, before.slice(0, 2), 20)).toEqual({
      up: 2,
      print: [],
      outOfReach: [],
    });
  });
});
