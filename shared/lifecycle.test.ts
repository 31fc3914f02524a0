import { expect, it } from 'vitest';
import { watchLifecycle } from './lifecycle.ts';

function watched(stop: () => Promise<void>, patienceMs = 1_000) {
  const lines: string[] = [];
  const note = (...args: unknown[]) => void lines.push(String(args.at(-1)));
  const log = { info: note, error: note, fatal: note };
  let ended: (code: number) => void = () => undefined;
  const code = new Promise<number>((resolve) => {
    ended = resolve;
  });
  const lifecycle = watchLifecycle({ log, stop, patienceMs, exit: (given) => ended(given) });
  return { lifecycle, code, lines };
}

it('stops once, however often it is asked to', async () => {
  let stops = 0;
  const { lifecycle, code } = watched(async () => {
    stops += 1;
  });
  lifecycle.shutdown('first', 0);
  lifecycle.shutdown('second', 1);
  expect(await code).toBe(0);
  expect(stops).toBe(1);
});

it('ends with code 1 when stopping takes too long', async () => {
  const { lifecycle, code, lines } = watched(() => new Promise(() => undefined), 10);
  lifecycle.shutdown('SIGTERM', 0);
  expect(await code).toBe(1);
  expect(lines).toContain('did not stop in time');
});

it('says why when stopping fails', async () => {
  const { lifecycle, code, lines } = watched(() => Promise.reject(new Error('stuck')));
  lifecycle.shutdown('SIGTERM', 0);
  expect(await code).toBe(1);
  expect(lines).toContain('stopping failed');
});
