import { Client } from 'pg';

export interface HeldLock {
  release(): Promise<void>;
}

export interface LockHooks {
  /** Called once when somebody else holds it. */
  readonly onWait: () => void;
  /** The connection that held it broke: somebody else may hold it now. */
  readonly onLost: (error: Error) => void;
  /** Gives up after this time; without it, waits for ever (a standby). */
  readonly patienceMs?: number;
}

export class LockBusy extends Error {
  override readonly name = 'LockBusy';
}

const RETRY_MS = 250;

/**
 * One process at a time under a name: a Postgres advisory lock on a connection of its own, which
 * ends with the process however it ends.
 */
export async function holdLock(url: string, name: string, hooks: LockHooks): Promise<HeldLock> {
  const client = new Client({ connectionString: url, application_name: name, keepAlive: true });
  let released = false;
  client.on('error', (error) => {
    if (!released) hooks.onLost(error);
  });
  await client.connect();
  const deadline = performance.now() + (hooks.patienceMs ?? Number.POSITIVE_INFINITY);
  for (let attempt = 0; ; attempt += 1) {
    const { rows } = await client.query<{ got: boolean }>(
      'select pg_try_advisory_lock(hashtextextended($1, 0)) as got',
      [name],
    );
    if (rows[0]?.got) break;
    if (attempt === 0) hooks.onWait();
    if (performance.now() > deadline) {
      await client.end();
      throw new LockBusy(`another process holds "${name}" on this database`);
    }
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
  }
  return {
    async release() {
      released = true;
      await client.end();
    },
  };
}
