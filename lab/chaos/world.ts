import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect as dial } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, type Db } from '../../shared/db/client.ts';
import { migrateDatabase } from '../../shared/db/migrate.ts';
import { listRoom } from '../../shared/db/rooms.ts';
import { createSealer } from '../../shared/seal.ts';
import { makeSealKeys, readSealKeys } from '../../shared/seal-keys.ts';
import { type ConsoleUser, connectUser, type TimelineItem } from '../console/user.ts';
import { fleetYaml } from '../fleet.ts';
import { type LabHost, startLabHost } from '../host/lab-host.ts';
import { exactCommand } from '../model/scenarios/change.ts';
import { startModelServer } from '../model/server.ts';
import { type OikosProcess, oikosProcess } from '../processes.ts';
import { freePort } from '../services/free-port.ts';
import { startPostgres } from '../services/postgres.ts';
import { ensurePython } from '../services/python.ts';
import { startSynapse } from '../services/synapse.ts';
import { until } from '../services/until.ts';
import { startValkey } from '../services/valkey.ts';
import { labSettings } from '../settings.ts';

/** A service that can be taken down and comes back with its data, at the same address. */
export interface Restartable {
  restart(): Promise<void>;
}

/** A whole Oikos of real parts, each of which may be injured. */
export interface ChaosWorld {
  readonly db: Db;
  readonly roomId: string;
  readonly operator: ConsoleUser;
  readonly host: LabHost;
  readonly bot: OikosProcess;
  readonly daemon: OikosProcess;
  /** Another daemon of the same site, not started at first. */
  readonly secondDaemon: OikosProcess;
  readonly database: Restartable;
  readonly queue: Restartable & { flush(): Promise<void> };
  readonly homeserver: Restartable;
  botSaid(): readonly TimelineItem[];
  stop(): Promise<void>;
}

/** Starts it in a folder of its own, which is gone after stop(). */
export async function startChaosWorld(root: string): Promise<ChaosWorld> {
  await using stack = new AsyncDisposableStack();
  const dir = await mkdtemp(join(tmpdir(), 'oikos-chaos-'));
  stack.defer(() => rm(dir, { recursive: true, force: true }));
  // Under root Postgres runs as somebody else, who must be able to walk through.
  await chmod(dir, 0o711);
  const { python, valkeyServer } = await ensurePython({ root, say: (line) => console.log(line) });

  const database = await restartable(stack, (port) =>
    startPostgres({ dir: join(dir, 'postgres'), keep: 'durable', port }),
  );
  const queue = await restartable(stack, (port) =>
    startValkey({ dir: join(dir, 'valkey'), valkeyServer, persist: true, port }),
  );
  const synapse = await startSynapse({ dir: join(dir, 'synapse'), python });
  stack.defer(() => synapse.stop());
  const host = await startLabHost({ dir: join(dir, 'lab'), name: 'lab' });
  stack.defer(() => host.stop());
  const model = await startModelServer({ scenario: [exactCommand] });
  stack.defer(() => model.close());
  await migrateDatabase(database.url);
  const { db, close } = connect(database.url, { maxConnections: 4, onError: () => undefined });
  stack.defer(close);

  const [you, nomos] = ['you-and-nobody-else', 'nomos-and-nobody-else'];
  await synapse.registerUser('you', you);
  await synapse.registerUser('nomos', nomos);
  const operator = await connectUser({ url: synapse.url, name: 'you', password: you });
  stack.defer(() => operator.stop());
  const bot = await synapse.login('nomos', nomos, 'OIKOSBOT');
  const roomId = await operator.createRoom({ name: 'Oikos', invite: [bot.userId] });
  const sealKeyFile = join(dir, 'seal', 'key');
  makeSealKeys(sealKeyFile);
  await listRoom(db, createSealer(readSealKeys(sealKeyFile)), roomId, operator.userId);
  const fleetFile = join(dir, 'fleet.yaml');
  await writeFile(fleetFile, fleetYaml([host]));

  const settingsFor = async (daemonName: string) => {
    const [botPort, daemonPort] = [await freePort(), await freePort()];
    const settings = labSettings({
      databaseUrl: database.url,
      redisUrl: queue.url,
      homeserverUrl: synapse.url,
      botToken: bot.accessToken,
      operators: [operator.userId],
      modelUrl: model.url,
      fleetFile,
      sealKeyFile,
      botPort,
      daemonPort,
      daemonName,
    });
    return { botPort, daemonPort, settings };
  };
  const first = await settingsFor('first');
  const second = await settingsFor('second');
  const keep = (one: OikosProcess): OikosProcess => {
    stack.defer(() => one.end('SIGKILL'));
    return one;
  };
  const daemon = keep(
    oikosProcess({ name: 'daemon', port: first.daemonPort, env: first.settings.daemon }),
  );
  const secondDaemon = keep(
    oikosProcess({ name: 'daemon', port: second.daemonPort, env: second.settings.daemon }),
  );
  const botProcess = keep(
    oikosProcess({ name: 'bot', port: first.botPort, env: first.settings.bot }),
  );
  await Promise.all([daemon.start(), botProcess.start()]);
  await until(async () => {
    if (!operator.timeline(roomId)) throw new Error('the room is not there');
  });

  const running = stack.move();
  return {
    db,
    roomId,
    operator,
    host,
    bot: botProcess,
    daemon,
    secondDaemon,
    database,
    queue: {
      restart: queue.restart,
      flush: () => flush(queue.url),
    },
    homeserver: { restart: () => synapse.restart() },
    botSaid: () => operator.timeline(roomId).filter(({ sender }) => sender === bot.userId),
    stop: () => running.disposeAsync(),
  };
}

async function restartable(
  stack: AsyncDisposableStack,
  start: (port: number) => Promise<{ url: string; stop: () => Promise<void> }>,
): Promise<Restartable & { readonly url: string }> {
  const port = await freePort();
  let service = await start(port);
  stack.defer(() => service.stop());
  return {
    url: service.url,
    async restart() {
      await service.stop();
      service = await start(port);
    },
  };
}

/** One command of its protocol is not worth a client. */
async function flush(url: string): Promise<void> {
  const { hostname, port } = new URL(url);
  await new Promise<void>((resolve, reject) => {
    const socket = dial(Number(port), hostname, () => socket.write('FLUSHALL\r\n'));
    socket.once('data', () => {
      socket.destroy();
      resolve();
    });
    socket.once('error', reject);
  });
}
