import { eq } from 'drizzle-orm';
import type { Db } from '../shared/db/client.ts';
import type { ExecutionRow } from '../shared/db/executions.ts';
import { executions } from '../shared/db/schema.ts';
import { isFinal } from '../shared/domain/execution.ts';

const POLL_MS = 1_000;

export interface EndWatch {
  /** The row once it is no longer `proposed`, or as it stands after `patienceMs`. */
  waitForLook(id: string, patienceMs: number): Promise<ExecutionRow>;
  /** The row once it is final, or as it stands after `patienceMs` or the signal. */
  waitForEnd(id: string, patienceMs: number, signal?: AbortSignal): Promise<ExecutionRow>;
  /** A notification about an execution; empty when any may have changed. */
  notify(id: string): void;
}

/** Waits for rows to end: woken by notifications, with a slow poll behind them. */
export function watchEnds(db: Db): EndWatch {
  const waiting = new Map<string, Set<() => void>>();
  const read = async (id: string): Promise<ExecutionRow> => {
    const [row] = await db.select().from(executions).where(eq(executions.id, id));
    if (!row) throw new Error(`no execution ${id}`);
    return row;
  };
  const waitFor = async (
    id: string,
    isThere: (row: ExecutionRow) => boolean,
    patienceMs: number,
    signal?: AbortSignal,
  ): Promise<ExecutionRow> => {
    const until = performance.now() + patienceMs;
    for (;;) {
      // Subscribed before the row is read: a notification in between is not missed.
      const news = subscribe(waiting, id, signal);
      const row = await read(id);
      const left = until - performance.now();
      if (isThere(row) || left <= 0 || signal?.aborted) {
        news.cancel();
        return row;
      }
      await news.within(Math.min(left, POLL_MS));
    }
  };
  return {
    notify(id) {
      for (const [key, wakers] of waiting) {
        if (id === '' || id === key) for (const wake of wakers) wake();
      }
    },
    waitForEnd: (id, patienceMs, signal) =>
      waitFor(id, ({ status }) => isFinal(status), patienceMs, signal),
    waitForLook: (id, patienceMs) => waitFor(id, ({ status }) => status !== 'proposed', patienceMs),
  };
}

interface News {
  /** Resolves at the next notification, at the signal, or after that time. */
  within(ms: number): Promise<void>;
  cancel(): void;
}

function subscribe(
  waiting: Map<string, Set<() => void>>,
  id: string,
  signal: AbortSignal | undefined,
): News {
  const wakers = waiting.get(id) ?? new Set<() => void>();
  waiting.set(id, wakers);
  const { promise, resolve } = Promise.withResolvers<void>();
  const wake = () => resolve();
  wakers.add(wake);
  signal?.addEventListener('abort', wake, { once: true });
  const cancel = () => {
    wakers.delete(wake);
    if (wakers.size === 0) waiting.delete(id);
    signal?.removeEventListener('abort', wake);
  };
  return {
    cancel,
    async within(ms) {
      const timer = setTimeout(wake, ms);
      await promise;
      clearTimeout(timer);
      cancel();
    },
  };
}
