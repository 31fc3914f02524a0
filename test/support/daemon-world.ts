import { randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { asc, eq } from 'drizzle-orm';
import { inject, onTestFinished } from 'vitest';
import { startDaemon } from '../../daemon/app.ts';
import { createExecutor } from '../../daemon/executor.ts';
import type { FleetGuest, FleetHost } from '../../daemon/fleet.ts';
import { syncFleet } from '../../daemon/fleet-file.ts';
import { createPreviewer } from '../../daemon/preview.ts';
import { createSshPool } from '../../daemon/ssh/pool.ts';
import { until } from '../../lab/services/until.ts';
import { connect, type Db } from '../../shared/db/client.ts';
import { executionOutput, executions } from '../../shared/db/schema.ts';
import { createLog } from '../../shared/log.ts';
import { connectDoorbell } from '../../shared/queue/executions.ts';
import { createRedactor } from '../../shared/redact.ts';
import { type ApprovedOptions, approvedExecution } from './approved-execution.ts';
import { testClaimer } from './claimer.ts';
import { freshDatabase } from './database.ts';
import type { PlainSshd } from './plain-sshd.ts';
import { TEST_KEY_LINE, testSeals } from './seals.ts';

const target = { kind: 'host', slug: 'host:box', name: 'box' } as const;
const log = createLog({
  level: process.env['TEST_LOG_LEVEL'] ?? 'silent',
  name: 'test',
  secrets: [],
});

export interface World {
  readonly db: Db;
  readonly url: string;
  readonly site: string;
  approve(options: Partial<ApprovedOptions> & { command: string }): Promise<string>;
  row(id: string): Promise<typeof executions.$inferSelect>;
  ended(id: string, patienceMs?: number): Promise<typeof executions.$inferSelect>;
  output(id: string, stream: 'stdout' | 'stderr'): Promise<string>;
}

/** A database of its own (or the one that `at` names), and what a test looks at in it. */
export async function world(at?: string): Promise<World> {
  const url = at ?? (await freshDatabase()).url;
  const { db, close } = connect(url);
  onTestFinished(close);
  const site = `t${randomBytes(6).toString('hex')}`;
  const row = async (id: string) => {
    const [found] = await db.select().from(executions).where(eq(executions.id, id));
    if (!found) throw new Error(`no execution ${id}`);
    return found;
  };
  return {
    db,
    url,
    site,
    row,
    approve: (options) => approvedExecution(db, { site, target, ...options }),
    ended: (id, patienceMs = 15_000) =>
      until(
        async () => {
          const found = await row(id);
          if (found.endedAt === null) throw new Error(`${id} is ${found.status}`);
          return found;
        },
        { patienceMs },
      ),
    async output(id, stream) {
      const rows = await db
        .select()
        .from(executionOutput)
        .where(eq(executionOutput.executionId, id))
        .orderBy(asc(executionOutput.seq));
      return rows
        .filter((line) => line.stream === stream)
        .map((line) => line.text)
        .join('');
    },
  };
}

export interface HostOptions {
  readonly sshd: Pick<PlainSshd, 'port' | 'user' | 'keyFile' | 'hostKey'>;
  readonly guests?: readonly FleetGuest[];
  readonly hostKey?: string;
  readonly port?: number;
  readonly user?: string;
  readonly sudo?: boolean;
  readonly passphraseFile?: string;
  /** Instead of the key file. */
  readonly agent?: string;
  /** Further hosts, as a way to this one. */
  readonly others?: readonly FleetHost[];
  readonly jump?: string;
  readonly connectMs?: number;
  readonly quietMs?: number;
  /** Runs at once. */
  readonly concurrency?: number;
}

/** What is not the usual house's own. */
export interface ProcessOptions {
  readonly name?: string;
  readonly redisUrl?: string;
}

/** Writes the host's fleet file and answers its path. */
function fleetFileFor({ site }: World, { sshd, hostKey, port }: HostOptions): string {
  const path = join(dirname(sshd.keyFile), `fleet-${site}.yaml`);
  const host = {
    slug: 'box',
    address: '127.0.0.1',
    port: port ?? sshd.port,
    user: sshd.user,
    key_file: sshd.keyFile,
    host_key: hostKey ?? sshd.hostKey,
    site,
  };
  // JSON is YAML.
  writeFileSync(path, JSON.stringify({ hosts: [host] }));
  return path;
}

/** The key in a folder of its own, where the high-water mark will lie too. */
function sealKeyFileFor({ site }: World, { sshd }: HostOptions): string {
  const folder = join(dirname(sshd.keyFile), `seal-${site}`);
  mkdirSync(folder, { recursive: true });
  const path = join(folder, 'key');
  writeFileSync(path, `${TEST_KEY_LINE}\n`, { mode: 0o600 });
  return path;
}

/** What the daemon's own process reads. */
export function daemonEnvironment(
  home: World,
  host: HostOptions,
  more: ProcessOptions = {},
): NodeJS.ProcessEnv {
  return {
    PATH: process.env['PATH'],
    DATABASE_URL: home.url,
    REDIS_URL: more.redisUrl ?? inject('redisUrl'),
    FLEET_FILE: fleetFileFor(home, host),
    SEAL_KEY_FILE: sealKeyFileFor(home, host),
    DAEMON_SITE: home.site,
    DAEMON_NAME: more.name ?? home.site,
    DAEMON_HTTP_PORT: '0',
  };
}

/** The whole daemon with its queue, for the one host. */
export async function daemonFor(home: World, host: HostOptions, more: ProcessOptions = {}) {
  const { url, site } = home;
  const fleetFile = fleetFileFor(home, host);
  const config = {
    databaseUrl: url,
    redisUrl: more.redisUrl ?? inject('redisUrl'),
    sealKeyFile: sealKeyFileFor(home, host),
    logLevel: 'info' as const,
    timeZone: 'UTC',
    fleetFile,
    site,
    name: more.name ?? site,
    httpPort: 0,
    concurrency: 16,
    hostConcurrency: 8,
    sshConnectMs: host.connectMs ?? 5_000,
    unreachableMs: 24 * 3_600_000,
    rebootMs: 15 * 60_000,
  };
  const onFatal = (error: Error) => {
    throw error;
  };
  const daemon = await startDaemon(config, {
    log,
    secrets: ['sesame-open-2026'],
    seals: testSeals,
    onFatal,
  });
  const bell = connectDoorbell(config.redisUrl, { onError: () => undefined });
  onTestFinished(async () => {
    await bell.close();
    await daemon.stop();
  });
  const ring = (id: string) => bell.ring({ id, site });
  await until(async () => {
    if (!(await bell.ping())) throw new Error('the queue is not there');
  });
  return { daemon, ring };
}

function fleetHost(host: HostOptions, site: string): FleetHost {
  const { sshd } = host;
  return {
    slug: target.slug,
    address: '127.0.0.1',
    port: host.port ?? sshd.port,
    user: host.user ?? sshd.user,
    keyFile: host.agent === undefined ? sshd.keyFile : undefined,
    passphraseFile: host.passphraseFile,
    agent: host.agent,
    hostKey: host.hostKey ?? sshd.hostKey,
    jump: host.jump,
    site,
    sudo: host.sudo ?? false,
  };
}

/** Two daemons' worth of executors without queue, sweeper or leases. */
export function executorsFor({ db, site }: World, count: number, host: HostOptions) {
  const hosts = [fleetHost(host, site), ...(host.others ?? [])];
  return Array.from({ length: count }, (_none, index) => {
    const readFile = async (path: string) => readFileSync(path);
    const transport = createSshPool({
      hosts,
      connectMs: host.connectMs ?? 5_000,
      readFile,
    });
    onTestFinished(() => transport.close());
    const common = {
      db,
      transport,
      claimer: testClaimer({
        owner: `e${index}/1`,
        hosts: new Set(hosts.map(({ slug }) => slug)),
      }),
      redact: createRedactor([]),
      log,
      keepEnvOption: () => true,
    };
    return {
      fleet: { hosts, guests: host.guests ?? [] },
      executor: createExecutor({
        ...common,
        beforeRun: async () => undefined,
        redact: (text) => text,
        concurrency: host.concurrency ?? 16,
        unreachableMs: 24 * 3_600_000,
        rebootMs: 15 * 60_000,
        quietMs: host.quietMs ?? 120_000,
      }),
      previewer: createPreviewer({ ...common, newNonce: () => randomBytes(16).toString('hex') }),
    };
  });
}

export async function oneExecutor(home: World, host: HostOptions) {
  const [made] = executorsFor(home, 1, host);
  if (!made) throw new Error('no executor');
  await syncFleet(home.db, made.fleet, home.site, testSeals);
  return made.executor;
}

export function alive(marker: string): boolean {
  return pidsWith(marker).length > 0;
}

/** Processes with that text in their command line. */
export function pidsWith(marker: string): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(marker);
      } catch {
        return false;
      }
    });
}
