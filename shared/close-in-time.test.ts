import { describe, expect, it } from 'vitest';
import { closeInTime } from './close-in-time.ts';

function listening() {
  const steps: unknown[] = [];
  return { steps, log: { warn: (fields: object) => void steps.push(fields) } };
}

describe('closing in time', () => {
  it('waits for a step and says nothing', async () => {
    const { steps, log } = listening();
    await closeInTime('pool', async () => void steps.push('closed'), log)();
    expect(steps).toEqual(['closed']);
  });

  it('leaves a step that hangs, by name', async () => {
    const { steps, log } = listening();
    await closeInTime('pool', () => new Promise(() => undefined), log, 5)();
    expect(steps).toEqual([{ step: 'pool', patienceMs: 5 }]);
  });

  it('passes on what a step throws', async () => {
    const { log } = listening();
    const broken = async () => Promise.reject(new Error('no'));
    await expect(closeInTime('pool', broken, log)()).rejects.toThrow('no');
  });
});
