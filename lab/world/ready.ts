import { join } from 'node:path';
import type { Supervised } from '../../scripts/supervise.ts';
import { isReady } from '../processes.ts';
import { until } from '../services/until.ts';

const PATIENCE_MS = 30_000;

/** Resolves once both ports say so; rejects when a process gives up, or after half a minute. */
export async function untilReady(
  ports: readonly number[],
  dir: string,
  processes: readonly Supervised[],
): Promise<void> {
  const gaveUp = Promise.race(
    processes.map(async ({ gaveUp: end, name }) => {
      await end;
      throw new Error(`the ${name} ended while it was starting; see ${join(dir, `${name}.log`)}`);
    }),
  );
  const answers = until(
    async () => {
      for (const port of ports) {
        if (!(await isReady(`http://127.0.0.1:${port}`))) throw new Error('not ready');
      }
    },
    { patienceMs: PATIENCE_MS, everyMs: 100 },
  ).catch(() => {
    throw new Error(`bot or daemon was not ready within 30 s; see the logs in ${dir}`);
  });
  await Promise.race([answers, gaveUp]);
}
