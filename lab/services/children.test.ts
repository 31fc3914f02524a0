import { tmpdir } from 'node:os';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Child, ServiceFailedError, startChild, waitUntilReady } from './children.ts';

async function shell(script: string): Promise<Child> {
  const child = await startChild({
    name: 'Shell',
    command: '/bin/sh',
    args: ['-c', script],
    cwd: tmpdir(),
    stopSignal: 'SIGTERM',
  });
  onTestFinished(() => child.stop(0));
  return child;
}

describe('a child process', () => {
  it('that ends while it starts shows its last words', async () => {
    const child = await shell('echo port is taken >&2; exit 1');
    const waiting = waitUntilReady(child, 'Shell', async () => false, 5_000);
    await expect(waiting).rejects.toThrow(
      new ServiceFailedError('Shell', 'ended while it was starting', 'port is taken'),
    );
  });

  it('that never becomes ready is stopped', async () => {
    const child = await shell('sleep 60');
    await expect(waitUntilReady(child, 'Shell', async () => false, 10)).rejects.toThrow(
      'not ready',
    );
    expect(child.running()).toBe(false);
  });

  it('that does not listen to its stop signal is killed', async () => {
    const child = await shell('trap "" TERM; echo ready; while :; do sleep 1; done');
    await waitUntilReady(child, 'Shell', async () => child.logTail() === 'ready', 5_000);
    await child.stop(50);
    expect(child.running()).toBe(false);
  });
});
