import { type HttpRoutes, json, text } from '../shared/http/server.ts';
import type { DaemonMetrics } from './metrics.ts';

export interface HealthDeps {
  readonly metrics: DaemonMetrics;
  /** Each answers undefined when all is well, else what is missing, in words. */
  readonly checks: Readonly<Record<string, () => Promise<string | undefined>>>;
}

/** Longer is as bad as no answer. */
const CHECK_PATIENCE_MS = 3_000;

/** `/healthz`: the process lives; `/readyz`: it can work, or what is missing; `/metrics`. */
export function healthRoutes({ metrics, checks }: HealthDeps): HttpRoutes {
  return {
    'GET /healthz': () => text(200, 'ok'),
    'GET /readyz': async () => {
      const missing = await findMissing(checks);
      const ready = Object.keys(missing).length === 0;
      return json(ready ? 200 : 503, { ready, missing });
    },
    'GET /metrics': async () => {
      const { type, text: body } = await metrics.render();
      return { status: 200, type, body };
    },
  };
}

async function findMissing(checks: HealthDeps['checks']): Promise<Record<string, string>> {
  const answers = await Promise.all(
    Object.entries(checks).map(async ([name, check]) => [name, await inTime(check)] as const),
  );
  return Object.fromEntries(
    answers.filter((answer): answer is readonly [string, string] => answer[1] !== undefined),
  );
}

async function inTime(check: () => Promise<string | undefined>): Promise<string | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<string>((resolve) => {
    timer = setTimeout(() => resolve('no answer in time'), CHECK_PATIENCE_MS);
  });
  const asked = check().catch((error: unknown) =>
    error instanceof Error ? error.message : String(error),
  );
  try {
    return await Promise.race([asked, late]);
  } finally {
    clearTimeout(timer);
  }
}
