import { randomBytes } from 'node:crypto';
import { closeSync, openSync } from 'node:fs';
import { chmod, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from 'pg';
import { z } from 'zod';
import { supervise } from '../scripts/supervise.ts';
import { connect } from '../shared/db/client.ts';
import type { TimelineItem } from './console/timeline.ts';
import { type ConsoleUser, connectUser } from './console/user.ts';
import { worldFailures } from './failures.ts';
import { fleetYaml } from './fleet.ts';
import { startLabHost } from './host/lab-host.ts';
import { SCENARIOS, startModelServer } from './model/server.ts';
import { isReady } from './processes.ts';
import { freePort } from './services/free-port.ts';
import { ensureSshd } from './services/openssh.ts';
import { startPostgres } from './services/postgres.ts';
import { ensurePython } from './services/python.ts';
import { type SynapseService, startSynapse } from './services/synapse.ts';
import { until } from './services/until.ts';
import { startValkey } from './services/valkey.ts';
import { labSettings } from './settings.ts';

/** Written to `connection.json`, mode 0600, for whoever wants to look in from outside. */
const connectionSchema = z.object({
  homeserver_url: z.string(),
  room_id: z.string(),
  operator_id: z.string(),
  bot_id: z.string(),
  operator_access_token: z.string(),
  bot_health_url: z.string(),
  daemon_health_url: z.string(),
  database_url: z.string(),
});
export type Connection = z.infer<typeof connectionSchema>;

export interface World {
  readonly dir: string;
  readonly connection: Connection;
  readonly operatorPassword: string;
  /** How the transcript names people. */
  readonly names: ReadonlyMap<string, string>;
  /** Says something in the room as the operator; answers the event's id. */
  say(text: string): Promise<string>;
  timeline(): readonly TimelineItem[];
  /** Turns, deliveries and processes that failed, in words; empty when all went well. */
  failures(): Promise<string[]>;
  /** Resolves with the name of a process that ended by itself and is not started again. */
  readonly ended: Promise<string>;
  /** Ends what was started here and nothing else. */
  stop(): Promise<void>;
}

const secretsSchema = z.object({
  operator_password: z.string(),
  bot_password: z.string(),
  room_id: z.string().optional(),
});
type Secrets = z.infer<typeof secretsSchema>;

/** Starts the whole embedded world in one folder. */
export async function startWorld(options: {
  readonly root: string;
  /** Where it keeps everything: data, keys, logs, connection.json. */
  readonly dir: string;
  readonly say: (line: string) => void;
}): Promise<World> {
  await using stack = new AsyncDisposableStack();
  const began = performance.now();
  const step = (what: string) =>
    options.say(`${((performance.now() - began) / 1000).toFixed(1).padStart(5)} s  ${what}`);
  const { dir } = options;
  await mkdir(dir, { recursive: true, mode: 0o711 });
  ensureSshd();
  const { python, valkeyServer } = await ensurePython({ root: options.root, say: options.say });

  const postgres = await startPostgres({
    dir: join(dir, 'postgres'),
    keep: 'durable',
    ownGroup: true,
  });
  stack.defer(() => postgres.stop());
  const databaseUrl = await ownDatabase(postgres.url);
  step('Postgres');
  const valkey = await startValkey({
    dir: join(dir, 'valkey'),
    valkeyServer,
    persist: true,
    ownGroup: true,
  });
  stack.defer(() => valkey.stop());
  step('Valkey');
  const synapse = await startSynapse({ dir: join(dir, 'synapse'), python, ownGroup: true });
  stack.defer(() => synapse.stop());
  step('Synapse');
  const host = await startLabHost({ dir: join(dir, 'lab'), name: 'lab' });
  stack.defer(() => host.stop());
  step('SSH lab host with five containers (commands run for real, confined in namespaces)');
  const scenario = SCENARIOS.get('demo');
  if (!scenario) throw new Error('there is no scenario "demo"');
  const model = await startModelServer({ scenario });
  stack.defer(() => model.close());
  step('scripted model');

  const secrets = await readSecrets(dir);
  const people = await meet(synapse, secrets);
  stack.defer(() => people.operator.stop());
  const roomId = await ownRoom(people, secrets.room_id);
  await writePrivate(join(dir, 'secrets.json'), { ...secrets, room_id: roomId });
  const fleetFile = join(dir, 'fleet.yaml');
  await writeFile(fleetFile, fleetYaml([host]));

  const [botPort, daemonPort] = [await freePort(), await freePort()];
  const settings = labSettings({
    databaseUrl,
    redisUrl: valkey.url,
    homeserverUrl: synapse.url,
    botToken: people.botToken,
    operators: [people.operator.userId],
    modelUrl: model.url,
    fleetFile,
    botPort,
    daemonPort,
    daemonName: 'demo',
  });
  const processes = (['daemon', 'bot'] as const).map((name) => {
    const log = openSync(join(dir, `${name}.log`), 'a', 0o600);
    const one = supervise({ name, entry: `${name}/main.ts`, env: settings[name], output: log });
    stack.defer(async () => {
      await one.stop();
      closeSync(log);
    });
    return one;
  });
  const connection: Connection = {
    homeserver_url: synapse.url,
    room_id: roomId,
    operator_id: people.operator.userId,
    bot_id: people.botId,
    operator_access_token: people.operator.token,
    bot_health_url: `http://127.0.0.1:${botPort}/healthz`,
    daemon_health_url: `http://127.0.0.1:${daemonPort}/healthz`,
    database_url: databaseUrl,
  };
  for (const port of [daemonPort, botPort]) await ready(port, dir, processes);
  step('bot and daemon');
  await writePrivate(join(dir, 'connection.json'), connection);

  const running = stack.move();
  const { operator } = people;
  return {
    dir,
    connection,
    operatorPassword: secrets.operator_password,
    names: new Map([
      [operator.userId, 'you'],
      [people.botId, 'nomos'],
    ]),
    say: (text) => operator.say(roomId, text),
    timeline: () => operator.timeline(roomId),
    ended: Promise.race(processes.map((one) => one.gaveUp.then(() => one.name))),
    failures: async () => {
      const { db, close } = connect(databaseUrl, { maxConnections: 1 });
      try {
        return await worldFailures(db);
      } finally {
        await close();
      }
    },
    stop: () => running.disposeAsync(),
  };
}

async function ready(
  port: number,
  dir: string,
  processes: readonly { readonly gaveUp: Promise<number>; readonly name: string }[],
): Promise<void> {
  const gaveUp = Promise.race(
    processes.map(async ({ gaveUp: end, name }) => {
      await end;
      throw new Error(`the ${name} ended while it was starting; see ${join(dir, `${name}.log`)}`);
    }),
  );
  const answers = until(
    async () => {
      if (!(await isReady(`http://127.0.0.1:${port}`))) throw new Error('not ready');
    },
    { patienceMs: 30_000, everyMs: 100 },
  ).catch(() => {
    throw new Error(`bot or daemon was not ready within 30 s; see the logs in ${dir}`);
  });
  await Promise.race([answers, gaveUp]);
}

/** The database "oikos" on the lab's own server. */
async function ownDatabase(adminUrl: string): Promise<string> {
  const client = new Client({ connectionString: adminUrl });
  await client.connect();
  try {
    const { rowCount } = await client.query("select 1 from pg_database where datname = 'oikos'");
    if (rowCount === 0) await client.query('create database oikos');
  } finally {
    await client.end();
  }
  return adminUrl.replace(/\/postgres$/, '/oikos');
}

interface People {
  readonly operator: ConsoleUser;
  readonly botId: string;
  readonly botToken: string;
}

async function meet(synapse: SynapseService, secrets: Secrets): Promise<People> {
  await synapse.registerUser('you', secrets.operator_password);
  await synapse.registerUser('nomos', secrets.bot_password);
  const bot = await synapse.login('nomos', secrets.bot_password, 'OIKOSBOT');
  const operator = await connectUser({
    url: synapse.url,
    name: 'you',
    password: secrets.operator_password,
  });
  return { operator, botId: bot.userId, botToken: bot.accessToken };
}

/** The room of an earlier start, or a new one that the bot is invited to. */
async function ownRoom({ operator, botId }: People, known: string | undefined): Promise<string> {
  if (known !== undefined && operator.rooms().includes(known)) return known;
  return operator.createRoom({ name: 'Oikos', invite: [botId] });
}

async function readSecrets(dir: string): Promise<Secrets> {
  const text = await readFile(join(dir, 'secrets.json'), 'utf8').catch(() => null);
  const known = text === null ? undefined : secretsSchema.safeParse(JSON.parse(text));
  if (known?.success) return known.data;
  const password = () => randomBytes(12).toString('base64url');
  return { operator_password: password(), bot_password: password() };
}

/** Atomically, and never readable by others, not even for a moment. */
async function writePrivate(path: string, value: unknown): Promise<void> {
  const aside = `${path}.${process.pid}`;
  await writeFile(aside, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 });
  await chmod(aside, 0o600);
  await rename(aside, path);
}
