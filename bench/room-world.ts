import { randomUUID } from 'node:crypto';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type ConsoleUser, connectUser } from '../lab/console/user.ts';
import { fleetYaml } from '../lab/fleet.ts';
import { startLabHost } from '../lab/host/lab-host.ts';
import type { Scenario } from '../lab/model/scenario.ts';
import { startModelServer } from '../lab/model/server.ts';
import { type OikosProcess, oikosProcess } from '../lab/processes.ts';
import { freePort } from '../lab/services/free-port.ts';
import { startPostgres } from '../lab/services/postgres.ts';
import { ensurePython } from '../lab/services/python.ts';
import { startSynapse } from '../lab/services/synapse.ts';
import { loginUser, registerUser } from '../lab/services/synapse-users.ts';
import { startValkey } from '../lab/services/valkey.ts';
import { labSettings } from '../lab/settings.ts';
import { connect, type Db } from '../shared/db/client.ts';
import { migrateDatabase } from '../shared/db/migrate.ts';
import { listRoom } from '../shared/db/rooms.ts';
import { createSealer } from '../shared/seal.ts';
import { makeSealKeys, readSealKeys } from '../shared/seal-keys.ts';

export interface BenchWorld {
  readonly db: Db;
  readonly homeserver: string;
  readonly operator: ConsoleUser;
  readonly botId: string;
  readonly roomId: string;
  readonly bot: OikosProcess;
  /** A further account, logged in. */
  login(name: string): Promise<{ userId: string; accessToken: string }>;
}

/** A whole Oikos with a homeserver and a host of its own, gone with the stack. */
export async function benchWorld(
  stack: AsyncDisposableStack,
  scenario: Scenario,
): Promise<BenchWorld> {
  const dir = await mkdtemp(join(tmpdir(), 'oikos-bench-'));
  stack.defer(() => rm(dir, { recursive: true, force: true }));
  // Under root Postgres runs as somebody else, who must be able to walk through.
  await chmod(dir, 0o711);
  const root = fileURLToPath(new URL('..', import.meta.url));
  const python = await ensurePython({ root, say: (line) => console.error(line) });
  const keep = <T extends { stop(): Promise<void> }>(service: T): T => {
    stack.defer(() => service.stop());
    return service;
  };
  const postgres = keep(await startPostgres({ dir: join(dir, 'postgres'), keep: 'throwaway' }));
  const { valkeyServer } = python;
  const valkey = keep(
    await startValkey({ dir: join(dir, 'valkey'), valkeyServer, persist: false }),
  );
  const synapse = keep(await startSynapse({ dir: join(dir, 'synapse'), python: python.python }));
  const host = keep(await startLabHost({ dir: join(dir, 'lab'), name: 'lab' }));
  const model = await startModelServer({ scenario });
  stack.defer(() => model.close());

  const { url, secret } = synapse;
  const register = async (name: string) => {
    const password = randomUUID();
    await registerUser({ url, secret, name, password, admin: false });
    return password;
  };
  const login = async (name: string) =>
    loginUser({ url, name, password: await register(name), deviceId: name.toUpperCase() });
  const operator = await connectUser({ url, name: 'op', password: await register('op') });
  stack.defer(() => operator.stop());
  const account = await login('nomos');
  const roomId = await operator.createRoom({ name: 'Oikos', invite: [account.userId] });
  await migrateDatabase(postgres.url);
  const { db, close } = connect(postgres.url, { maxConnections: 3 });
  stack.defer(close);
  const sealKeyFile = join(dir, 'seal', 'key');
  makeSealKeys(sealKeyFile);
  await listRoom(db, createSealer(readSealKeys(sealKeyFile)), roomId, 'bench');
  const fleetFile = join(dir, 'fleet.yaml');
  await writeFile(fleetFile, fleetYaml([host]));
  const [botPort, daemonPort] = [await freePort(), await freePort()];
  const settings = labSettings({
    databaseUrl: postgres.url,
    redisUrl: valkey.url,
    homeserverUrl: url,
    botToken: account.accessToken,
    operators: [operator.userId],
    modelUrl: model.url,
    fleetFile,
    sealKeyFile,
    botPort,
    daemonPort,
    daemonName: 'bench',
    logLevel: 'warn',
  });
  const bot = oikosProcess({ name: 'bot', port: botPort, env: settings.bot });
  const daemon = oikosProcess({ name: 'daemon', port: daemonPort, env: settings.daemon });
  stack.defer(() => bot.end('SIGTERM'));
  stack.defer(() => daemon.end('SIGTERM'));
  await Promise.all([bot.start(), daemon.start()]);
  return { db, homeserver: url, operator, botId: account.userId, roomId, bot, login };
}
