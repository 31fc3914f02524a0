import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';

export class DaemonNameTakenError extends Error {
  override readonly name = 'DaemonNameTakenError';
  readonly daemon: string;
  constructor(daemon: string) {
    super(`another daemon named ${daemon} is running; set DAEMON_NAME or stop it`);
    this.daemon = daemon;
  }
}

export interface DaemonLock {
  release(): Promise<void>;
}

const PATIENCE_MS = 10_000;

/**
 * One life per daemon name: two would take each other's runs for orphans. The lock lives on its own
 * connection; when that breaks it is taken again, and `onLost` hears if somebody else has it by then.
 * @throws DaemonNameTakenError when the name is still taken after `patienceMs`.
 */
export async function lockDaemonName(
  url: string,
  name: string,
  onLost: (error: Error) => void,
  patienceMs = PATIENCE_MS,
): Promise<DaemonLock> {
  let released = false;
  let client: Client | undefined;

  const take = async (): Promise<void> => {
    const deadline = performance.now() + patienceMs;
    for (;;) {
      const outcome = await tryTake(url, name);
      if (outcome.client) {
        watch(outcome.client);
        client = outcome.client;
        return;
      }
      if (performance.now() > deadline) throw outcome.error;
      await sleep(250);
    }
  };
  const watch = (held: Client) => {
    let over = false;
    const broken = () => {
      if (over || released) return;
      over = true;
      held.end().catch(() => undefined);
      take().catch((error: unknown) => {
        if (!released) onLost(error instanceof Error ? error : new Error(String(error)));
      });
    };
    held.on('error', broken);
    held.on('end', broken);
  };

  await take();
  return {
    async release() {
      released = true;
      await client?.end().catch(() => undefined);
    },
  };
}

type Taken = { client: Client; error?: never } | { client?: never; error: Error };

async function tryTake(url: string, name: string): Promise<Taken> {
  const client = new Client({
    connectionString: url,
    application_name: 'oikos-daemon-lock',
    keepAlive: true,
    connectionTimeoutMillis: 5_000,
  });
  // Without a listener an error of the connection would end the process.
  client.on('error', () => undefined);
  try {
    await client.connect();
    const { rows } = await client.query<{ taken: boolean }>(
      'select pg_try_advisory_lock(hashtextextended($1, 0)) as taken',
      [`oikos-daemon:${name}`],
    );
    if (rows[0]?.taken) return { client };
    await client.end();
    return { error: new DaemonNameTakenError(name) };
  } catch (error) {
    client.end().catch(() => undefined);
    return { error: error instanceof Error ? error : new Error(String(error)) };
  }
}
