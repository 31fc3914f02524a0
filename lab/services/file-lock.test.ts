import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { withFileLock } from './file-lock.ts';

async function lockPath(): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'oikos-lock-'));
  onTestFinished(() => rm(dir, { recursive: true }));
  return join(dir, 'the.lock');
}

it('lets the second holder begin only after the first has ended', async () => {
  const path = await lockPath();
  const order: string[] = [];
  const entered = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  const first = withFileLock(path, async () => {
    order.push('first begins');
    entered.resolve();
    await release.promise;
    order.push('first ends');
  });
  await entered.promise;
  const second = withFileLock(
    path,
    async () => void order.push('second begins'),
    () => {
      order.push('second waits');
      release.resolve();
    },
  );
  await Promise.all([first, second]);
  expect(order).toEqual(['first begins', 'second waits', 'first ends', 'second begins']);
});

it('is free again after the work has thrown', async () => {
  const path = await lockPath();
  await expect(withFileLock(path, () => Promise.reject(new Error('boom')))).rejects.toThrow('boom');
  expect(await withFileLock(path, async () => 'free')).toBe('free');
});
