import { setTimeout as sleep } from 'node:timers/promises';

/** Repeats `attempt` until it does not throw; after `patienceMs` its last error is thrown. */
export async function until<T>(
  attempt: () => Promise<T>,
  { patienceMs = 15_000, everyMs = 50 }: { patienceMs?: number; everyMs?: number } = {},
): Promise<T> {
  const deadline = performance.now() + patienceMs;
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (performance.now() > deadline) throw error;
      await sleep(everyMs);
    }
  }
}
