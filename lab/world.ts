import { closeSync, openSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { supervise } from '../scripts/supervise.ts';
import { connect } from '../shared/db/client.ts';
import { listRoom } from '../shared/db/rooms.ts';
import { createSealer } from '../shared/seal.ts';
import { makeSealKeys, readSealKeys } from '../shared/seal-keys.ts';
import type { TimelineItem } from './console/timeline.ts';
import type { ConsoleUser } from './console/user.ts';
import { worldFailures } from './failures.ts';
import { fleetYaml } from './fleet.ts';
import { freePort } from './services/free-port.ts';
import { ensurePython, PythonUnavailableError, type PythonWorld } from './services/python.ts';
import { labSettings } from './settings.ts';
import { forgetWorld, startDatabase } from './world/database.ts';
import { hasHistory, type LabForm, startHosts } from './world/hosts.ts';
import { DEMO_MARK } from './world/leftovers.ts';
import { type ModelEnvironment, startModel } from './world/model.ts';
import {
  HomeserverTrouble,
  type MatrixSide,
  newSecrets,
  type Secrets,
  secretsSchema,
  startOwnSynapse,
  useHomeserver,
} from './world/people.ts';
import { readPrivate, writePrivate } from './world/private-file.ts';
import { startQueue } from './world/queue.ts';
import { untilReady } from './world/ready.ts';
import type { Steps } from './world/steps.ts';

/** Written to `connection.json`, mode 0600, for whoever wants to look in from outside. */
const connectionSchema = z.object({
  homeserver_url: z.string(),
  room_id: z.string(),
  operator_id: z.string(),
  bot_id: z.string(),
  operator_access_token: z.string().optional(),
  bot_health_url: z.string(),
  daemon_health_url: z.string(),
  database_url: z.string(),
});
export type Connection = z.infer<typeof connectionSchema>;

export interface World {
  readonly dir: string;
  readonly connection: Connection;
  readonly modelKind: 'offline' | 'real';
  readonly modelName: string;
  /** Undefined where the operator uses a client of his own on a homeserver of his own. */
  readonly operator: ConsoleUser | undefined;
  readonly operatorPassword: string;
  /** How the transcript names people. */
  readonly names: ReadonlyMap<string, string>;
  /** The lab's hosts as they were at first. */
  resetHosts(): Promise<void>;
  timeline(): readonly TimelineItem[];
  /** Turns, deliveries and processes that failed, in words; empty when all went well. */
  failures(): Promise<string[]>;
  /** Resolves with the name of a process that ended by itself and is not started again. */
  readonly ended: Promise<string>;
  /** Ends what was started here and nothing else. */
  stop(): Promise<void>;
}

export interface WorldOptions {
  readonly root: string;
  /** Where it keeps everything: data, keys, logs, connection.json. Absolute; held by the caller's lock. */
  readonly dir: string;
  readonly form: LabForm;
  readonly steps: Steps;
  /** An own homeserver instead of the lab's Synapse. */
  readonly homeserver:
    | { readonly url: string; readonly user: string; readonly token: string | undefined }
    | undefined;
  readonly model: ModelEnvironment;
  readonly redisUrl: string | undefined;
}

/**
 * Starts the whole embedded world in one folder. Data of an earlier start that cannot be used any
 * more is thrown away, and said so: a demo is better new than broken.
 */
export async function startWorld(options: WorldOptions): Promise<World> {
  await mkdir(options.dir, { recursive: true, mode: 0o711 });
  const isOld = hasHistory(options.dir);
  try {
    return await startOnce(options);
  } catch (error) {
    if (!(error instanceof UnusableDataError)) throw error;
    if (!isOld) throw error.cause;
    const said = error.message;
    options.steps.note(`What an earlier demo left here cannot be used (${said}): beginning anew.`);
    await forgetWorld(options.dir);
    return startOnce(options);
  }
}

/** Data of an earlier start cannot be used; the message is the first line of why. */
class UnusableDataError extends Error {
  override readonly name = 'UnusableDataError';
  constructor(cause: unknown) {
    super(cause instanceof Error ? cause.message.split('\n')[0] : String(cause), { cause });
  }
}

/** What fails here may be due to old data; a missing Python or homeserver is not. */
async function fromData<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof PythonUnavailableError || error instanceof HomeserverTrouble) throw error;
    throw new UnusableDataError(error);
  }
}

async function startOnce(options: WorldOptions): Promise<World> {
  await using stack = new AsyncDisposableStack();
  const { dir, steps } = options;
  const keep = <T extends { stop(): Promise<void> }>(part: T): T => {
    stack.defer(() => part.stop());
    return part;
  };
  const python = await findPython(options);
  const secrets = (await readPrivate(join(dir, 'secrets.json'), secretsSchema)) ?? newSecrets();
  await writePrivate(join(dir, 'secrets.json'), secrets);
  const [database, queue, matrix, hosts, model] = await allOrNone([
    steps.run('Postgres', () => fromData(() => startDatabase(dir))).then(keep),
    steps.run('queue (Valkey)', () => fromData(() => needQueue(options, python))).then(keep),
    steps
      .run(homeserverWords(options), () => fromData(() => startMatrix(options, python, secrets)))
      .then(keep),
    steps.run('two SSH hosts', () => startHosts(join(dir, 'lab'), options.form)).then(keep),
    startModel(options.model),
  ]);
  stack.defer(() => model.close());
  const server = new URL(matrix.url).host;
  const name = matrix.operator === undefined ? server : serverName(matrix.operatorId);
  await writePrivate(join(dir, 'secrets.json'), {
    ...secrets,
    rooms: { ...secrets.rooms, [name]: matrix.roomId },
  });
  const fleetFile = join(dir, 'fleet.yaml');
  await writeFile(fleetFile, fleetYaml(hosts.hosts));
  const sealKeyFile = join(dir, 'seal', 'key');
  makeSealKeys(sealKeyFile);

  const [botPort, daemonPort] = [await freePort(), await freePort()];
  const settings = labSettings({
    databaseUrl: database.url,
    redisUrl: queue.url,
    homeserverUrl: matrix.url,
    botToken: matrix.botToken,
    operators: [matrix.operatorId],
    modelUrl: model.url,
    model,
    fleetFile,
    sealKeyFile,
    botPort,
    daemonPort,
    daemonName: 'demo',
    graceSeconds: 3,
    marks: { [DEMO_MARK]: dir },
  });
  const processes = (['daemon', 'bot'] as const).map((process) => {
    const log = openSync(join(dir, `${process}.log`), 'a', 0o600);
    stack.defer(() => closeSync(log));
    const entry = `${process}/main.ts`;
    return keep(supervise({ name: process, entry, env: settings[process], output: log }));
  });
  const connection: Connection = {
    homeserver_url: matrix.url,
    room_id: matrix.roomId,
    operator_id: matrix.operatorId,
    bot_id: matrix.botId,
    ...(matrix.operator && { operator_access_token: matrix.operator.token }),
    bot_health_url: `http://127.0.0.1:${botPort}/healthz`,
    daemon_health_url: `http://127.0.0.1:${daemonPort}/healthz`,
    database_url: database.url,
  };
  await steps.run('bot and daemon', () => untilReady([daemonPort, botPort], dir, processes));
  await letDecide(database.url, sealKeyFile, matrix);
  await writePrivate(join(dir, 'connection.json'), connection);

  const running = stack.move();
  return {
    dir,
    connection,
    modelKind: model.kind,
    modelName: model.name,
    operator: matrix.operator,
    operatorPassword: secrets.operator_password,
    names: new Map([
      [matrix.operatorId, 'you'],
      [matrix.botId, 'nomos'],
    ]),
    resetHosts: () => hosts.reset(),
    timeline: () => matrix.operator?.timeline(matrix.roomId) ?? [],
    ended: Promise.race(processes.map((one) => one.gaveUp.then(() => one.name))),
    failures: async () => {
      const { db, close } = connect(database.url, { maxConnections: 1 });
      try {
        return await worldFailures(db);
      } finally {
        await close();
      }
    },
    stop: () => running.disposeAsync(),
  };
}

/** The demo's room is on the list from the start: its operator has made it. */
async function letDecide(
  url: string,
  sealKeyFile: string,
  { roomId, operatorId }: MatrixSide,
): Promise<void> {
  const { db, close } = connect(url, { maxConnections: 1 });
  try {
    await listRoom(db, createSealer(readSealKeys(sealKeyFile)), roomId, operatorId);
  } finally {
    await close();
  }
}

/** Undefined where Python is missing but an own homeserver makes up for it. */
async function findPython(options: WorldOptions): Promise<PythonWorld | undefined> {
  const { root, steps } = options;
  try {
    return await ensurePython({ root, say: (line) => steps.note(line) });
  } catch (error) {
    if (!(error instanceof PythonUnavailableError)) throw error;
    if (options.homeserver) return undefined;
    throw new PythonUnavailableError(
      `${error.message}. Or use a homeserver of your own: MATRIX_ACCESS_TOKEN=… npm run demo -- --homeserver https://matrix.example.org --user @me:example.org, with the token of an account for the bot.`,
    );
  }
}

async function needQueue(options: WorldOptions, python: PythonWorld | undefined) {
  const queue = await startQueue({ dir: options.dir, python, ownUrl: options.redisUrl });
  if (queue) return queue;
  throw new PythonUnavailableError(
    'without Python the demo needs a Redis or Valkey: install redis-server, or set REDIS_URL',
  );
}

function homeserverWords({ homeserver }: WorldOptions): string {
  return homeserver === undefined ? 'homeserver (Synapse)' : `homeserver ${homeserver.url}`;
}

async function startMatrix(
  options: WorldOptions,
  python: PythonWorld | undefined,
  secrets: Secrets,
): Promise<MatrixSide> {
  const { homeserver, dir } = options;
  if (homeserver) {
    const { url, user, token } = homeserver;
    const knownRoom = secrets.rooms[new URL(url).host];
    return useHomeserver({ url, operatorId: user, token, knownRoom });
  }
  if (!python) throw new PythonUnavailableError('Synapse needs Python');
  return startOwnSynapse({ dir: join(dir, 'synapse'), python: python.python, secrets });
}

/** Like Promise.all, but waits for all parts first: what came up late must still be ended. */
async function allOrNone<T extends readonly unknown[]>(
  parts: readonly [...{ [K in keyof T]: Promise<T[K]> }],
): Promise<T> {
  await Promise.allSettled(parts);
  return (await Promise.all(parts)) as unknown as T;
}

function serverName(userId: string): string {
  return userId.slice(userId.indexOf(':') + 1);
}
