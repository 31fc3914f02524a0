import { randomBytes, randomUUID } from 'node:crypto';
import { access, constants, readFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { sql } from 'drizzle-orm';
import { closeInTime } from '../shared/close-in-time.ts';
import type { DaemonConfig } from '../shared/config.ts';
import { connect, type Db } from '../shared/db/client.ts';
import { readNow } from '../shared/db/clock.ts';
import { stopRequests } from '../shared/db/due.ts';
import { renewLeases } from '../shared/db/executions.ts';
import { renewSettingSeals } from '../shared/db/gate-settings-seal.ts';
import { watchLedger } from '../shared/db/ledger-watch.ts';
import { listen } from '../shared/db/listen.ts';
import { holdLock } from '../shared/db/lock.ts';
import { migrateDatabase } from '../shared/db/migrate.ts';
import { registerOwnFolders } from '../shared/db/own-places.ts';
import { renewRuleSeals } from '../shared/db/rules.ts';
import { startHttpServer } from '../shared/http/server.ts';
import { markPath } from '../shared/ledger-mark.ts';
import type { Log } from '../shared/log.ts';
import { findOwnFolders, findOwnMachine } from '../shared/own-place.ts';
import { listenForExecutions } from '../shared/queue/executions.ts';
import { createRedactor } from '../shared/redact.ts';
import type { Sealer } from '../shared/seal.ts';
import { LEASE_MS } from './claim.ts';
import { createDiscovery } from './discovery.ts';
import { createExecutor, type Executor } from './executor.ts';
import type { Fleet } from './fleet.ts';
import { readFleetFile, syncFleet } from './fleet-file.ts';
import { healthRoutes } from './health.ts';
import { sweepLeftovers } from './leftovers.ts';
import { createDaemonMetrics } from './metrics.ts';
import { createPreviewer } from './preview.ts';
import { recoverOrphans } from './recovery.ts';
import { repeat } from './repeat.ts';
import { createSshPool } from './ssh/pool.ts';
import { sweep } from './sweeper.ts';

export interface Daemon {
  /** Port of the health server. */
  readonly httpPort: number;
  /** Takes nothing new, ends or gives up what runs, closes everything. */
  stop(): Promise<void>;
}

export interface DaemonOptions {
  readonly log: Log;
  /** Values that no output may show: those of the settings. */
  readonly secrets: readonly string[];
  readonly seals: Sealer;
  /** Something that the daemon cannot live with: its process should end. */
  readonly onFatal: (error: Error) => void;
}

/** The fleet file cannot be used; `problems` are for people. */
export class FleetFileError extends Error {
  override readonly name = 'FleetFileError';
  readonly problems: readonly string[];
  constructor(problems: readonly string[]) {
    super(problems.join('\n'));
    this.problems = problems;
  }
}

const NAME_PATIENCE_MS = 10_000;
const DRAIN_MS = 6_000;
/** A command without output for so long is shown as quiet. */
const QUIET_MS = 120_000;
const EVERY = {
  lease: 5_000,
  stopPoll: 1_000,
  sweep: 2_000,
  orphans: 5_000,
  discovery: 60_000,
  leftovers: 6 * 3_600_000,
};

/**
 * Composes and starts the daemon.
 * @throws FleetFileError, MarkUnreadable, LockBusy (another daemon has its name), or what the database says at the first contact.
 */
export async function startDaemon(config: DaemonConfig, options: DaemonOptions): Promise<Daemon> {
  const { log, seals } = options;
  const fleet = await loadFleet(config.fleetFile);
  await migrateDatabase(config.databaseUrl);
  const ours = ofSite(fleet, config.site);
  const name = config.name ?? hostname().toLowerCase();
  const owner = `${name}/${randomUUID()}`;
  const metrics = createDaemonMetrics();
  const closing = new AsyncDisposableStack();
  try {
    const database = connect(config.databaseUrl, {
      name: `oikos-daemon-${name}`,
      maxConnections: config.concurrency + 4,
      onError: (error) => log.warn({ err: error }, 'a database connection broke'),
    });
    closing.defer(closeInTime('database', () => database.close(), log));
    const { db } = database;
    // One life per name: two would take each other's runs for orphans.
    const lock = await holdLock(config.databaseUrl, `oikos-daemon:${name}`, {
      takenBy: `another daemon named ${name} is running; set DAEMON_NAME or stop it`,
      patienceMs: NAME_PATIENCE_MS,
      onLost: options.onFatal,
    });
    closing.defer(closeInTime('lock', () => lock.release(), log));
    const ledger = await watchLedger({
      db,
      path: markPath(config.sealKeyFile),
      actor: owner,
      onReplaced: options.onFatal,
      onError: (error) => log.warn({ err: error }, 'the ledger could not be looked at'),
    });
    closing.defer(closeInTime('ledger', () => ledger.close(), log, 1_000));
    if (ledger.restored) {
      log.warn('the database was restored from an older copy, or altered; nothing of it runs');
    }
    await syncFleet(db, ours, config.site, seals);
    await renewSettingSeals(db, seals);
    await renewRuleSeals(db, seals);
    await registerOwnFolders(db, `daemon:${name}`, findOwnFolders());

    const transport = createSshPool({
      hosts: fleet.hosts,
      connectMs: config.sshConnectMs,
      channelsPerHost: config.hostConcurrency,
      readFile: (path) => readFile(path),
      onConnect: (host, found) => {
        metrics.sshConnect(host, found.ok ? 'ready' : found.trouble.kind);
        if (!found.ok) log.warn({ host, trouble: found.trouble }, 'no connection');
      },
    });
    closing.defer(closeInTime('ssh', () => transport.close(), log));
    const discovery = createDiscovery({ db, transport, fleet: ours, own: findOwnMachine(), log });
    const claimer = {
      owner,
      hosts: new Set(ours.hosts.map(({ slug }) => slug)),
      seals,
      tellsEnd: ledger.memory.tellsEnd,
    };
    const redact = createRedactor(options.secrets);
    const executor = createExecutor({
      db,
      transport,
      claimer,
      beforeRun: ledger.note,
      redact,
      log,
      concurrency: config.concurrency,
      unreachableMs: config.unreachableMs,
      rebootMs: config.rebootMs,
      quietMs: QUIET_MS,
      keepEnvOption: discovery.keepEnvOption,
      onEnded: (row, ms) => {
        metrics.ended(row, ms);
        discovery.noteEnded(row);
        discovery.run().catch(report(log, 'discovery failed'));
      },
    });
    closing.defer(closeInTime('runs', () => executor.drain(DRAIN_MS), log, DRAIN_MS + 1_000));
    const previewer = createPreviewer({
      db,
      transport,
      claimer,
      redact,
      keepEnvOption: discovery.keepEnvOption,
      newNonce: () => randomBytes(16).toString('hex'),
      log,
    });

    closing.defer(() => previewer.close());

    const recover = () =>
      recoverOrphans(db, {
        daemon: name,
        owner,
        site: config.site,
        holds: executor.holds,
        // adopt() answers for every trouble itself.
        adopt: (run) => void executor.adopt(run),
      });
    const recovered = await recover();
    if (recovered > 0) log.warn({ recovered }, 'runs of an earlier life were found');

    const start = (id: string) => {
      // Both answer for every trouble themselves: there is nothing to wait for here.
      void executor.execute(id).then(async (answer) => {
        // Not approved: perhaps it waits for a look. What that lets through is started at once.
        if (answer.kind === 'dropped' && (await previewer.look(id))) await executor.execute(id);
      });
    };
    const queue = listenForExecutions(config.redisUrl, config.site, {
      concurrency: config.concurrency,
      onRing: async (id) => start(id),
      onError: (error) => {
        metrics.queueError();
        log.warn({ err: error }, 'the queue does not answer');
      },
    });
    closing.defer(closeInTime('queue', () => queue.close(), log));
    const chores = startChores({ db, executor, owner, site: config.site, start, recover, log });
    closing.defer(closeInTime('chores', () => chores.stop(), log));
    const bell = listen(
      config.databaseUrl,
      ['oikos_execution'],
      (_channel, id) => void chores.onRing(id),
      (error) => log.warn({ err: error }, 'listening to the database broke'),
    );
    closing.defer(closeInTime('notifications', () => bell.close(), log));
    const learning = repeat(EVERY.discovery, discovery.run, report(log, 'discovery failed'));
    // A question to a slow host must not hold up the end.
    closing.defer(() => {
      discovery.close();
      void learning.stop();
    });
    discovery.run().catch(report(log, 'discovery failed'));
    const tidy = () =>
      Promise.all(ours.hosts.map(({ slug }) => sweepLeftovers(transport, slug))).then(
        () => undefined,
      );
    const tidying = repeat(EVERY.leftovers, tidy, report(log, 'tidying up failed'));
    closing.defer(() => void tidying.stop());

    const http = await startHttpServer({
      port: config.httpPort,
      routes: healthRoutes({
        metrics,
        checks: {
          database: async () => void (await db.execute(sql`select 1`)),
          queue: async () => ((await queue.ping()) ? undefined : 'the queue does not answer'),
          keys: () => unreadableKeys(ours),
        },
      }),
      onError: (error) => log.error({ err: error }, 'a health request failed'),
    });
    closing.defer(closeInTime('http', () => http.close(), log));
    log.info(
      { name, site: config.site, hosts: ours.hosts.length, port: http.port },
      'daemon ready',
    );
    const armed = closing.move();
    return { httpPort: http.port, stop: () => armed.disposeAsync() };
  } catch (error) {
    await closing.disposeAsync();
    throw error;
  }
}

async function loadFleet(path: string): Promise<Fleet> {
  const read = await readFleetFile(path);
  if (!read.ok) throw new FleetFileError(read.problems);
  return read.fleet;
}

function ofSite(fleet: Fleet, site: string): Fleet {
  const hosts = fleet.hosts.filter((host) => host.site === site);
  const slugs = new Set(hosts.map(({ slug }) => slug));
  return { hosts, guests: fleet.guests.filter(({ host }) => slugs.has(host)) };
}

async function unreadableKeys(fleet: Fleet): Promise<string | undefined> {
  const paths = fleet.hosts
    .flatMap(({ keyFile, passphraseFile }) => [keyFile, passphraseFile])
    .filter((path) => path !== undefined);
  const readable = await Promise.all(
    [...new Set(paths)].map((path) =>
      access(path, constants.R_OK).then(
        () => [],
        () => [path],
      ),
    ),
  );
  const missing = readable.flat();
  return missing.length === 0 ? undefined : `cannot read ${missing.join(', ')}`;
}

interface ChoreDeps {
  readonly db: Db;
  readonly executor: Executor;
  readonly owner: string;
  readonly site: string;
  readonly start: (id: string) => void;
  readonly recover: () => Promise<number>;
  readonly log: Log;
}

/** What goes on beside the runs: leases, stop requests, the sweep, orphans. */
function startChores({ db, executor, owner, site, start, recover, log }: ChoreDeps) {
  const stopWhatIsAsked = async () => {
    for (const { id } of await stopRequests(db, owner)) executor.stop(id, 'cancel');
  };
  const onError = report(log, 'a periodic task failed');
  const rounds = [
    repeat(EVERY.stopPoll, stopWhatIsAsked, onError),
    repeat(EVERY.sweep, () => sweep({ db, site, actor: owner, start }), onError),
    repeat(EVERY.orphans, recover, onError),
    repeat(
      EVERY.lease,
      async () => {
        const now = await readNow(db);
        await renewLeases(db, owner, new Date(now.getTime() + LEASE_MS));
      },
      onError,
    ),
  ];
  return {
    async onRing(id: string) {
      if (id !== '' && !executor.holds(id)) return;
      await stopWhatIsAsked().catch(onError);
    },
    stop: () => Promise.all(rounds.map((round) => round.stop())).then(() => undefined),
  };
}

function report(log: Log, what: string) {
  return (error: unknown) => log.error({ err: error }, what);
}
