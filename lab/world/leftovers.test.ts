import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { belongsTo, DEMO_MARK, endLeftovers, leftovers } from './leftovers.ts';

describe('what an earlier demo left behind', () => {
  it.each([
    ['its own mark', 'A=1\0OIKOS_DEMO=/d/demo\0', true],
    ['a lab host below it', 'OIKOS_LAB=/d/demo/lab\0', true],
    ['a folder with a longer name', 'OIKOS_DEMO=/d/demo2\0', false],
    ['a lab host of another folder', 'OIKOS_LAB=/d/demo2/lab\0', false],
    ['the mark within another variable', 'X=OIKOS_DEMO=/d/demo\0', false],
  ])('is told by %s', (_claim, environment, wanted) => {
    expect(belongsTo(environment, '/d/demo')).toBe(wanted);
  });

  it('is ended, and nothing else is', async () => {
    const dir = `/nowhere/${process.pid}`;
    const sleeper = (mark: string) =>
      spawn('sleep', ['60'], { env: { ...process.env, [DEMO_MARK]: mark }, stdio: 'ignore' });
    const [ours, foreign] = [sleeper(dir), sleeper(`${dir}-other`)];
    await Promise.all([once(ours, 'spawn'), once(foreign, 'spawn')]);
    const ended = once(ours, 'exit');
    expect(await endLeftovers(dir)).toBe(1);
    await ended;
    expect(leftovers(dir)).toEqual([]);
    expect(foreign.exitCode ?? foreign.signalCode).toBeNull();
    foreign.kill();
  });
});
