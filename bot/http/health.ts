import { sql } from 'drizzle-orm';
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import type { Db } from '../../shared/db/client.ts';
import {
  type HttpRoutes,
  type HttpServer,
  json,
  startHttpServer,
} from '../../shared/http/server.ts';
import type { Log } from '../../shared/log.ts';

/** A sync older than this means that the bot hears nothing. */
const STALE_SYNC_MS = 120_000;

export interface BotHealth {
  readonly db: Db;
  readonly queueAnswers: () => Promise<boolean>;
  readonly lastSyncAt: () => Date | null;
  /** Why the sync has ended for good, e.g. M_UNKNOWN_TOKEN. */
  readonly fatal: () => string | null;
  /** Something is being read, told or thought about. */
  readonly busy: () => boolean;
}

/** `/healthz` (alive), `/readyz` (can do its work; names what is missing), `/metrics`. */
export function startBotHttp(
  { port, more }: { readonly port: number; readonly more: HttpRoutes },
  health: BotHealth,
  log: Log,
): Promise<HttpServer> {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, prefix: 'oikos_bot_' });
  const count = (name: string, help: string, query: ReturnType<typeof sql>) =>
    new Gauge({
      name,
      help,
      registers: [registry],
      async collect() {
        // Not known while the database is away: the other figures are still worth having.
        const n = await health.db.execute<{ n: string }>(query).then(
          ({ rows }) => Number(rows[0]?.n ?? 0),
          () => Number.NaN,
        );
        this.set(n);
      },
    });
  count(
    'oikos_outbox_waiting',
    'Things that rooms were not told yet.',
    sql`select count(*) as n from outbox where told_at is null and failed_reason is null`,
  );
  count(
    'oikos_outbox_failed',
    'Things that could not be told for good.',
    sql`select count(*) as n from outbox where failed_reason is not null`,
  );
  count(
    'oikos_cards_pending',
    'Cards that wait for an answer.',
    sql`select count(*) as n from approvals where status = 'pending'`,
  );
  count(
    'oikos_turns_open',
    'Turns of the agent that wait or run.',
    sql`select count(*) as n from turns where status <> 'ended'`,
  );
  return startHttpServer({
    port,
    onError: (error) => log.error({ err: error }, 'http request failed'),
    routes: {
      ...more,
      'GET /healthz': () => json(200, { ok: true }),
      'GET /readyz': async () => {
        const missing = await missingParts(health);
        return json(missing.length === 0 ? 200 : 503, {
          ready: missing.length === 0,
          missing,
          busy: health.busy(),
        });
      },
      'GET /metrics': async () => ({
        status: 200,
        type: registry.contentType,
        body: await registry.metrics(),
      }),
    },
  });
}

async function missingParts(health: BotHealth): Promise<string[]> {
  const missing: string[] = [];
  const databaseAnswers = await health.db.execute(sql`select 1`).then(
    () => true,
    () => false,
  );
  if (!databaseAnswers) missing.push('database');
  if (!(await health.queueAnswers())) missing.push('queue');
  const fatal = health.fatal();
  const lastSyncAt = health.lastSyncAt();
  if (fatal !== null) missing.push(`matrix (${fatal})`);
  else if (lastSyncAt === null || Date.now() - lastSyncAt.getTime() > STALE_SYNC_MS) {
    missing.push('matrix');
  }
  return missing;
}
