import { expect, it } from 'vitest';
import { readFaults } from './faults.ts';

it('reads fault words and ignores what it does not know', () => {
  const words = [
    'lock-held-101',
    'lock-patience=200',
    'slow-start-110=2',
    'start-fails-140',
    'x',
    'task-takes=3',
  ];
  expect(readFaults(words)).toEqual({
    lockHeld: new Set([101]),
    lockPatienceMs: 200,
    slowStartMs: new Map([[110, 2000]]),
    startFails: new Set([140]),
    taskTakesMs: 3000,
    toolDelayMs: 0,
  });
});

it('waits ten seconds for a held lock unless told otherwise', () => {
  expect(readFaults([])).toMatchObject({ lockPatienceMs: 10_000, toolDelayMs: 0 });
});
