import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { and, count, inArray, isNotNull } from 'drizzle-orm';
import { isReady } from '../lab/processes.ts';
import { freePort } from '../lab/services/free-port.ts';
import { startPostgres } from '../lab/services/postgres.ts';
import { ensurePython } from '../lab/services/python.ts';
import { until } from '../lab/services/until.ts';
import { startValkey } from '../lab/services/valkey.ts';
import { connect, type Db } from '../shared/db/client.ts';
import { migrateDatabase } from '../shared/db/migrate.ts';
import { executions } from '../shared/db/schema.ts';
import type { RiskClass } from '../shared/domain/risk.ts';
import { NODE_FLAGS } from '../shared/node-flags.ts';
import { connectDoorbell } from '../shared/queue/executions.ts';
import { approvedExecution } from '../test/support/approved-execution.ts';
import { type PlainSshd, startPlainSshd } from '../test/support/plain-sshd.ts';
import { TEST_KEY_LINE } from '../test/support/seals.ts';

export const HOSTS = Array.from({ length: 20 }, (_none, at) => `h${at}`);

/** A daemon of its own with Postgres, queue and sshd, to be measured. */
export interface ExecWorld {
  readonly dir: string;
  readonly sshd: PlainSshd;
  /** Stores an approved row, rings, and waits for the result row; answers milliseconds. */
  run(command: string, options?: { host?: string; risk?: RiskClass }): Promise<number>;
  /** Stores that many approved rows at once; answers seconds until the last has ended. */
  runMany(command: string, many: number, risk: RiskClass | undefined): Promise<number>;
  /** Resident memory of the daemon in MB: now, and at most since `forgetPeak`. */
  memory(): { readonly now: number; readonly peak: number };
  /** Of memory and spool. */
  forgetPeak(): void;
  /** The most that one spool took on the host, in MB. */
  spoolPeak(): number;
  stop(): Promise<void>;
}

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const SITE = 'home';

export async function startExecWorld(): Promise<ExecWorld> {
  await using stack = new AsyncDisposableStack();
  const dir = mkdtempSync(join(tmpdir(), 'oikos-bench-'));
  stack.defer(() => rmSync(dir, { recursive: true, force: true }));
  chmodSync(dir, 0o711);
  const { valkeyServer } = await ensurePython({ root: ROOT, say: (line) => console.log(line) });
  const postgres = await startPostgres({ dir: join(dir, 'pg'), keep: 'durable' });
  stack.defer(postgres.stop);
  const valkey = await startValkey({ dir: join(dir, 'valkey'), valkeyServer, persist: true });
  stack.defer(valkey.stop);
  const sshd = await startPlainSshd(dir, ['MaxStartups 100', 'PrintMotd no']);
  stack.defer(() => sshd.cut());
  await migrateDatabase(postgres.url);
  const { db, close } = connect(postgres.url, { maxConnections: 8 });
  stack.defer(close);
  const bell = connectDoorbell(valkey.url, { onError: () => undefined });
  stack.defer(() => bell.close());
  const port = await freePort();
  const child = startDaemon({ dir, databaseUrl: postgres.url, redisUrl: valkey.url, sshd, port });
  stack.defer(() => void child.kill('SIGKILL'));
  await until(
    async () => {
      if (!(await isReady(`http://127.0.0.1:${port}`))) throw new Error('the daemon is not ready');
    },
    { patienceMs: 30_000 },
  );
  const approve = (command: string, host: string, risk?: RiskClass) =>
    approvedExecution(db, {
      site: SITE,
      target: { kind: 'host', slug: `host:${host}`, name: host },
      command,
      timeLimitMs: 600_000,
      ...(risk && { declaredRisk: risk }),
    });

  const ended = watchEnds(db);
  const spool = watchSpool();
  stack.defer(spool.stop);

  const running = stack.move();
  return {
    dir,
    sshd,
    async run(command, { host = 'h0', risk } = {}) {
      const id = await approve(command, host, risk);
      const began = performance.now();
      await bell.ring({ id, site: SITE });
      await ended(id);
      return performance.now() - began;
    },
    async runMany(command, many, risk) {
      // The sweeper would begin before all are there.
      child.kill('SIGSTOP');
      const ids: string[] = [];
      for (let at = 0; at < many; at += HOSTS.length) {
        ids.push(...(await Promise.all(HOSTS.map((host) => approve(command, host, risk)))));
      }
      const began = performance.now();
      child.kill('SIGCONT');
      await Promise.all(ids.map((id) => bell.ring({ id, site: SITE })));
      await allEnded(db);
      return (performance.now() - began) / 1_000;
    },
    memory: () => memoryOf(child),
    forgetPeak() {
      spool.forget();
      // The kernel's word for it (proc(5)).
      writeFileSync(`/proc/${child.pid}/clear_refs`, '5');
    },
    spoolPeak: spool.peak,
    stop: () => running.disposeAsync(),
  };
}

function startDaemon(at: {
  readonly dir: string;
  readonly databaseUrl: string;
  readonly redisUrl: string;
  readonly sshd: PlainSshd;
  readonly port: number;
}): ChildProcess {
  const { sshd } = at;
  const hosts = HOSTS.map((slug) => ({
    slug,
    address: '127.0.0.1',
    port: sshd.port,
    user: sshd.user,
    key_file: sshd.keyFile,
    host_key: sshd.hostKey,
  }));
  const fleetFile = join(at.dir, 'fleet.yaml');
  // JSON is YAML.
  writeFileSync(fleetFile, JSON.stringify({ hosts }));
  // In a folder of its own: the high-water mark will lie beside it.
  const sealKeyFile = join(at.dir, 'seal', 'key');
  mkdirSync(join(at.dir, 'seal'));
  writeFileSync(sealKeyFile, `${TEST_KEY_LINE}\n`, { mode: 0o600 });
  return spawn(process.execPath, [...NODE_FLAGS, 'daemon/main.ts'], {
    cwd: ROOT,
    stdio: ['ignore', 'ignore', 'inherit'],
    env: {
      PATH: process.env['PATH'],
      DATABASE_URL: at.databaseUrl,
      REDIS_URL: at.redisUrl,
      FLEET_FILE: fleetFile,
      SEAL_KEY_FILE: sealKeyFile,
      DAEMON_NAME: 'bench',
      DAEMON_HTTP_PORT: `${at.port}`,
      LOG_LEVEL: 'warn',
    },
  });
}

/** One question for all that is waited for: many pollers would be measured themselves. */
function watchEnds(db: Db): (id: string) => Promise<void> {
  const waiting = new Map<string, PromiseWithResolvers<void>>();
  const ask = async () => {
    const rows = await db
      .select({ id: executions.id, status: executions.status, reason: executions.reason })
      .from(executions)
      .where(and(inArray(executions.id, [...waiting.keys()]), isNotNull(executions.endedAt)));
    for (const { id, status, reason } of rows) {
      if (status === 'completed') waiting.get(id)?.resolve();
      else waiting.get(id)?.reject(new Error(`${status}: ${reason}`));
      waiting.delete(id);
    }
  };
  const poll = async () => {
    while (waiting.size > 0) {
      await ask();
      await sleep(1);
    }
  };
  return (id) => {
    const end = Promise.withResolvers<void>();
    waiting.set(id, end);
    if (waiting.size === 1) {
      poll().catch((error) => {
        for (const { reject } of waiting.values()) reject(error);
        waiting.clear();
      });
    }
    return end.promise;
  };
}

async function allEnded(db: Db): Promise<void> {
  for (;;) {
    const [found] = await db
      .select({ n: count() })
      .from(executions)
      .where(inArray(executions.status, ['approved', 'running']));
    if (found?.n === 0) return;
    await sleep(20);
  }
}

/** Looks at the folder that root's spools lie in, and remembers the largest one. */
function watchSpool() {
  let most = 0;
  const look = () => {
    const du = spawnSync('du', ['-k', '/var/lib/oikos-runner/'], { encoding: 'utf8' });
    const sizes = du.stdout.matchAll(/^(\d+)\t.*\/[\w-]{36}$/gm);
    most = Math.max(most, ...[...sizes].map(([, kb]) => Number(kb)));
  };
  const timer = setInterval(look, 500);
  return {
    peak: () => Math.round(most / 1_024),
    forget() {
      most = 0;
    },
    stop: () => clearInterval(timer),
  };
}

function memoryOf({ pid }: ChildProcess): { now: number; peak: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const of = (field: string) =>
    Math.round(Number(new RegExp(`^${field}:\\s+(\\d+)`, 'm').exec(status)?.[1]) / 1_024);
  return { now: of('VmRSS'), peak: of('VmHWM') };
}

/** OpenSSH's own client, with masters of its own where asked. */
export interface OpenSsh {
  /** Opens a master connection of that name. */
  master(name: string): void;
  /** Runs a command through a master, or by a fresh connection; answers milliseconds. */
  run(command: string, master: string | undefined): Promise<number>;
  close(): void;
}

export function openSsh({ dir, sshd }: Pick<ExecWorld, 'dir' | 'sshd'>): OpenSsh {
  const masters: string[] = [];
  const common = [
    ...['-F', 'none', '-i', sshd.keyFile, '-p', `${sshd.port}`, '-o', 'BatchMode=yes'],
    ...['-o', 'StrictHostKeyChecking=no', '-o', `UserKnownHostsFile=${join(dir, 'known')}`],
    ...['-o', 'LogLevel=ERROR'],
  ];
  const where = `${sshd.user}@127.0.0.1`;
  const socket = (name: string) => join(dir, `cm-${name}`);
  return {
    master(name) {
      const args = [...common, '-M', '-S', socket(name), '-fN', where];
      const made = spawnSync('ssh', args, { stdio: 'ignore' });
      if (made.status !== 0) throw new Error('ssh opened no master connection');
      masters.push(name);
    },
    run(command, master) {
      const way = master === undefined ? ['-S', 'none'] : ['-S', socket(master)];
      const began = performance.now();
      return new Promise((resolve, reject) => {
        const child = spawn('ssh', [...common, ...way, where, command], {
          stdio: ['ignore', 'pipe', 'inherit'],
        });
        child.stdout.resume();
        child.on('close', (code) => {
          if (code === 0) resolve(performance.now() - began);
          else reject(new Error(`ssh ended with code ${code}`));
        });
      });
    },
    close() {
      for (const name of masters) {
        spawnSync('ssh', [...common, '-S', socket(name), '-O', 'exit', where], { stdio: 'ignore' });
      }
    },
  };
}
