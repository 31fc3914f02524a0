import { expect, it, vi } from 'vitest';
import type { Db } from '../../shared/db/client.ts';
import type { TaskRow } from '../../shared/db/tasks.ts';
import type { TurnRow } from '../../shared/db/turns.ts';
import { createLog } from '../../shared/log.ts';
import type { ProgressEvent } from '../agent/turn-ports.ts';
import type { RoomPort } from './ports.ts';
import { createProgress } from './progress.ts';

/** A turn of many steps, two a second for a minute; answers when its notice was written and how. */
async function busyMinute(sendTakesMs: number): Promise<{ at: number; body: string }[]> {
  vi.useFakeTimers();
  try {
    const writes: { at: number; body: string }[] = [];
    const write = async (body: string) => {
      writes.push({ at: performance.now(), body });
      await new Promise((resolve) => setTimeout(resolve, sendTakesMs));
      return '$progress';
    };
    const room = {
      send: (_room: string, { body }: { body: string }) => write(body),
      edit: (_room: string, _event: string, { body }: { body: string }) => write(body),
    } as unknown as RoomPort;
    const log = createLog({ level: 'silent', name: 'test', secrets: [] });
    const turn = { id: 't', progressEvent: '$progress' } as TurnRow;
    const task = { id: 'k', roomId: '!r', threadRoot: null } as TaskRow;
    const progress = createProgress({ db: {} as Db, room, log }, turn, task);
    for (let step = 0; step < 120; step += 1) {
      const call = { key: `t:${step}`, id: 'c', name: 'run', args: '{}' };
      progress.onProgress({ type: 'call_started', call } as ProgressEvent);
      await vi.advanceTimersByTimeAsync(500);
    }
    const closing = progress.close();
    await vi.advanceTimersByTimeAsync(10 * sendTakesMs + 10);
    await closing;
    return writes;
  } finally {
    vi.useRealTimers();
  }
}

it('edits its notice at most once in 1.5 s, and shows the last state', async () => {
  const writes = await busyMinute(1);
  const gaps = writes.slice(1, -1).map(({ at }, before) => at - (writes[before]?.at ?? 0));
  expect(Math.min(...gaps)).toBeGreaterThanOrEqual(1_500);
  expect(writes.length).toBeGreaterThan(30);
  expect(writes.at(-1)?.body).toContain('108 earlier steps');
});

it('edits less often while the homeserver makes it wait, and one at a time', async () => {
  const writes = await busyMinute(4_000);
  expect(writes.length).toBeLessThan(8);
  expect(writes.at(-1)?.body).toContain('108 earlier steps');
});
