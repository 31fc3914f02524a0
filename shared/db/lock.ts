import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';

export interface HeldLock {
  release(): Promise<void>;
}

export interface LockHooks {
  /** Who has it when we cannot, in words: the message of LockBusy. */
  readonly takenBy: string;
  /** Called once when somebody else holds it at the start. */
  readonly onWait?: () => void;
  /** Our connection broke, and somebody else has it by now: this process must end. */
  readonly onLost: (error: LockBusy) => void;
  /** Gives up the start after this time; without it, waits for ever (a standby). */
  readonly patienceMs?: number;
  /** How long somebody else may have it after our connection broke, before it counts as lost. */
  readonly retakeMs?: number;
}

/** Somebody else holds the lock. */
export class LockBusy extends Error {
  override readonly name = 'LockBusy';
}

const RETRY_MS = 250;
const BEAT_MS = 5_000;
/** Longer than the server keeps a session of ours whose line is dead (KEEPALIVE). */
const RETAKE_MS = 15_000;
const KEEPALIVE =
  'set tcp_keepalives_idle = 5; set tcp_keepalives_interval = 2; set tcp_keepalives_count = 2';

/**
 * One process at a time under a name: a Postgres advisory lock on a connection of its own, which
 * ends with the process however it ends. When the connection breaks the lock is taken again, for
 * as long as the database is away.
 * @throws LockBusy after `patienceMs`, or what the database says at the first contact.
 */
export async function holdLock(url: string, name: string, hooks: LockHooks): Promise<HeldLock> {
  const standby = { waits: false };
  let released = false;
  let held: Client | undefined;

  const hold = (client: Client) => {
    if (released) return void close(client);
    held = client;
    watch(client, () => {
      held = undefined;
      if (!released) again({ patienceMs: hooks.retakeMs ?? RETAKE_MS }).then(hold, lost);
    });
  };
  const again = async (waiting: Waiting): Promise<Client> => {
    for (;;) {
      try {
        return await take(url, name, hooks.takenBy, waiting);
      } catch (error) {
        if (released || error instanceof LockBusy) throw error;
        await sleep(RETRY_MS);
      }
    }
  };
  const lost = (error: unknown) => {
    if (!released && error instanceof LockBusy) hooks.onLost(error);
  };

  const first: Waiting = {
    patienceMs: hooks.patienceMs ?? Number.POSITIVE_INFINITY,
    onWait: () => {
      if (!standby.waits) hooks.onWait?.();
      standby.waits = true;
    },
  };
  try {
    hold(await take(url, name, hooks.takenBy, first));
  } catch (error) {
    // A standby outlives a restart of the database; whoever could not even ask does not start.
    if (!standby.waits || error instanceof LockBusy) throw error;
    hold(await again(first));
  }
  return {
    async release() {
      released = true;
      if (held) await close(held);
    },
  };
}

interface Waiting {
  readonly patienceMs: number;
  readonly onWait?: () => void;
}

async function take(
  url: string,
  name: string,
  takenBy: string,
  { patienceMs, onWait }: Waiting,
): Promise<Client> {
  const client = new Client({
    connectionString: url,
    application_name: name,
    keepAlive: true,
    connectionTimeoutMillis: 5_000,
    query_timeout: 10_000,
  });
  // Without a listener an error of the connection would end the process.
  client.on('error', () => undefined);
  const deadline = performance.now() + patienceMs;
  try {
    await client.connect();
    await client.query(KEEPALIVE);
    while (!(await tryLock(client, name))) {
      onWait?.();
      if (performance.now() > deadline) throw new LockBusy(takenBy);
      await sleep(RETRY_MS);
    }
    return client;
  } catch (error) {
    void close(client);
    throw error;
  }
}

async function tryLock(client: Client, name: string): Promise<boolean> {
  const { rows } = await client.query<{ got: boolean }>(
    'select pg_try_advisory_lock(hashtextextended($1, 0)) as got',
    [name],
  );
  return rows[0]?.got === true;
}

/** Hears once that the connection is gone; a dead line shows by a question that nobody answers. */
function watch(client: Client, onBroken: () => void): void {
  let over = false;
  const broken = () => {
    if (over) return;
    over = true;
    clearInterval(beat);
    void close(client);
    onBroken();
  };
  const beat = setInterval(() => client.query('select 1').catch(broken), BEAT_MS);
  client.on('error', broken);
  client.on('end', broken);
}

/** An end that fails has ended too. */
function close(client: Client): Promise<void> {
  return client.end().catch(() => undefined);
}
