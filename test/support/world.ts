import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eq } from 'drizzle-orm';
import { Client } from 'pg';
import { inject } from 'vitest';
import type { TimelineItem } from '../../lab/console/timeline.ts';
import { type ConsoleUser, connectUser } from '../../lab/console/user.ts';
import { fleetYaml } from '../../lab/fleet.ts';
import { type LabHost, startLabHost } from '../../lab/host/lab-host.ts';
import { untilIdle } from '../../lab/idle.ts';
import type { Scenario } from '../../lab/model/scenario.ts';
import { demoScenario } from '../../lab/model/scenarios/demo.ts';
import { type ModelServer, startModelServer } from '../../lab/model/server.ts';
import { type OikosProcess, oikosProcess } from '../../lab/processes.ts';
import { freePort } from '../../lab/services/free-port.ts';
import { loginUser, registerUser } from '../../lab/services/synapse-users.ts';
import { labSettings } from '../../lab/settings.ts';
import { connect, type Db } from '../../shared/db/client.ts';
import { listRoom } from '../../shared/db/rooms.ts';
import { entities, executions } from '../../shared/db/schema.ts';
import { createSealer, type Sealer } from '../../shared/seal.ts';
import { makeSealKeys, readSealKeys } from '../../shared/seal-keys.ts';
import { moveClock } from './clock.ts';
import { TEMPLATE_DATABASE, withDatabaseName } from './database-url.ts';

export interface TestWorld {
  readonly db: Db;
  /** By the key that its bot and daemon share. */
  readonly seals: Sealer;
  readonly roomId: string;
  readonly botId: string;
  readonly operator: ConsoleUser;
  readonly host: LabHost;
  readonly model: ModelServer;
  readonly bot: OikosProcess;
  readonly daemon: OikosProcess;
  /** Another person, who is brought into the room. */
  guest(name: string): Promise<ConsoleUser>;
  /** Says something as the operator and waits until all that follows is over. */
  chat(text: string): Promise<TimelineItem[]>;
  /** Waits until all that follows from an event is over; answers what the bot sent since. */
  settle(eventId?: string): Promise<void>;
  /** What the bot has said, oldest first, as shown now. */
  botSaid(): TimelineItem[];
  card(number: number): TimelineItem;
  execution(number: number): Promise<typeof executions.$inferSelect>;
  moveClock(minutes: number): Promise<void>;
  stop(): Promise<void>;
}

export interface WorldOptions {
  readonly scenario?: Scenario;
  /** Changes the settings of the two processes before they start. */
  readonly adjust?: (settings: Settings) => Promise<Settings>;
}

export type Settings = ReturnType<typeof labSettings>;

/** A whole Oikos: two processes, a real homeserver, a real SSH host; the model alone is scripted. */
export async function testWorld(options: WorldOptions = {}): Promise<TestWorld> {
  const synapse = inject('synapse');
  if (!synapse) throw new Error('this project has no homeserver');
  await using stack = new AsyncDisposableStack();
  const tag = randomUUID().slice(0, 8);
  const dir = await mkdtemp(join(tmpdir(), 'oikos-world-'));
  stack.defer(() => rm(dir, { recursive: true, force: true }));
  const databaseUrl = await ownDatabase(tag, stack);
  const { db, close } = connect(databaseUrl, { maxConnections: 4 });
  stack.defer(close);
  const host = await startLabHost({ dir: join(dir, 'lab'), name: 'lab' });
  stack.defer(() => host.stop());
  const fleetFile = join(dir, 'fleet.yaml');
  await writeFile(fleetFile, fleetYaml([host]));
  const sealKeyFile = join(dir, 'seal', 'key');
  makeSealKeys(sealKeyFile);
  const seals = createSealer(readSealKeys(sealKeyFile));
  const model = await startModelServer({ scenario: options.scenario ?? demoScenario });
  stack.defer(() => model.close());

  const people: ConsoleUser[] = [];
  stack.defer(async () => {
    for (const user of people) await user.stop();
  });
  const enter = async (name: string) => {
    const password = randomUUID();
    await registerUser({ url: synapse.url, secret: synapse.secret, name, password, admin: false });
    const user = await connectUser({ url: synapse.url, name, password });
    people.push(user);
    return user;
  };
  const operator = await enter(`op-${tag}`);
  const botPassword = randomUUID();
  const botName = `bot-${tag}`;
  const { url, secret } = synapse;
  await registerUser({ url, secret, name: botName, password: botPassword, admin: false });
  const bot = await loginUser({ url, name: botName, password: botPassword, deviceId: 'BOT' });
  const roomId = await operator.createRoom({ name: 'Oikos', invite: [bot.userId] });

  await listRoom(db, seals, roomId, 'the test');
  const [botPort, daemonPort] = [await freePort(), await freePort()];
  const settings = labSettings({
    databaseUrl,
    redisUrl: `${inject('redisUrl')}/${nextRedisDatabase()}`,
    homeserverUrl: synapse.url,
    botToken: bot.accessToken,
    operators: [operator.userId],
    modelUrl: model.url,
    fleetFile,
    sealKeyFile,
    botPort,
    daemonPort,
    daemonName: `d-${tag}`,
  });
  const env = (await options.adjust?.(settings)) ?? settings;
  const processes = {
    bot: oikosProcess({ name: 'bot', port: botPort, env: env.bot }),
    daemon: oikosProcess({ name: 'daemon', port: daemonPort, env: env.daemon }),
  };
  stack.defer(() => processes.daemon.end('SIGTERM'));
  stack.defer(() => processes.bot.end('SIGTERM'));
  await Promise.all([processes.daemon.start(), processes.bot.start()]);
  await fleetLearned(db);

  const timeline = () => [...operator.timeline(roomId)];
  const settle = (eventId?: string) => untilIdle(db, eventId === undefined ? {} : { eventId });
  const running = stack.move();
  return {
    db,
    seals,
    roomId,
    botId: bot.userId,
    operator,
    host,
    model,
    ...processes,
    settle,
    guest: async (name) => {
      const user = await enter(`${name}-${tag}`);
      await operatorInvites(synapse.url, operator.token, roomId, user.userId);
      await user.join(roomId);
      return user;
    },
    async chat(text) {
      const before = timeline().length;
      const eventId = await operator.say(roomId, text);
      await settle(eventId);
      return timeline().slice(before);
    },
    botSaid: () => timeline().filter(({ sender }) => sender === bot.userId),
    card(number) {
      const found = timeline().find((item) => cardNumber(item) === number);
      if (!found)
        throw new Error(
          `no card #${number} in:\n${timeline()
            .map((i) => i.body)
            .join('\n')}`,
        );
      return found;
    },
    async execution(number) {
      const [row] = await db.select().from(executions).where(eq(executions.number, number));
      if (!row) throw new Error(`no execution #${number}`);
      return row;
    },
    moveClock: (minutes) => moveClock(db, minutes * 60_000, seals),
    stop: () => running.disposeAsync(),
  };
}

let redisDatabases = 0;

/** Worlds of one run share a server, each with keys of its own. */
function nextRedisDatabase(): number {
  redisDatabases += 1;
  return (redisDatabases + process.pid) % 16;
}

function cardNumber(item: TimelineItem): number | undefined {
  const card = item.content['io.oikos.card'];
  if (typeof card !== 'object' || card === null || !('number' in card)) return undefined;
  return typeof card.number === 'number' ? card.number : undefined;
}

async function ownDatabase(tag: string, stack: AsyncDisposableStack): Promise<string> {
  const adminUrl = inject('adminUrl');
  const name = `w_${tag}`;
  const asAdmin = async (statement: string) => {
    const client = new Client(adminUrl);
    await client.connect();
    try {
      await client.query(statement);
    } finally {
      await client.end();
    }
  };
  await asAdmin(`create database ${name} template ${TEMPLATE_DATABASE}`);
  stack.defer(() => asAdmin(`drop database if exists ${name} with (force)`));
  return withDatabaseName(adminUrl, name);
}

/** The daemon has asked every target for its shell. */
async function fleetLearned(db: Db): Promise<void> {
  const deadline = performance.now() + 20_000;
  for (;;) {
    const rows = await db.select().from(entities);
    const known = rows.filter(({ attributes }) => attributes.shell !== undefined);
    if (known.length >= 5) return;
    if (performance.now() > deadline) {
      throw new Error(`shells known: ${known.map(({ slug }) => slug).join(', ') || 'none'}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

async function operatorInvites(url: string, token: string, room: string, user: string) {
  const answer = await fetch(`${url}/_matrix/client/v3/rooms/${encodeURIComponent(room)}/invite`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ user_id: user }),
  });
  if (!answer.ok) throw new Error(`invite failed: ${await answer.text()}`);
}
