import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client, ClientChannel } from 'ssh2';
import type { FleetHost } from '../fleet.ts';
import { createClients } from './clients.ts';
import { type Connection, connectHost, type OnHostKey, type ReadFile } from './connect.ts';
import { runOnChannel } from './run.ts';
import { createSemaphore, type Semaphore } from './semaphore.ts';
import type { HostSlot, Reservation, RunEnd, RunJob, Transport } from './transport.ts';

const DEFAULT_CHANNELS = 8;
const CHANNEL_TRIES = 6;
const LONGEST_PAUSE_MS = 5_000;

export interface PoolOptions {
  readonly hosts: readonly FleetHost[];
  readonly connectMs: number;
  /** Commands at once on one host: sshd allows 10 sessions a connection, and frees them late. */
  readonly channelsPerHost?: number;
  readonly readFile: ReadFile;
  /** Hears of every attempt to connect. */
  readonly onConnect?: (hostSlug: string, connection: Connection) => void;
  readonly onHostKey?: OnHostKey;
}

interface Entry {
  readonly host: FleetHost;
  readonly channels: Semaphore;
  client: Client | undefined;
  connecting: Promise<Connection> | undefined;
  failures: number;
  failedAt: number;
}

/** One connection a host, shared by its runs, opened when first needed and again after it broke. */
export function createSshPool(options: PoolOptions): Transport {
  const entries = new Map<string, Entry>(
    options.hosts.map((host) => [
      host.slug,
      {
        host,
        channels: createSemaphore(options.channelsPerHost ?? DEFAULT_CHANNELS),
        client: undefined,
        connecting: undefined,
        failures: 0,
        failedAt: 0,
      },
    ]),
  );
  const clients = createClients();
  let closed = false;

  const connection = (entry: Entry): Promise<Connection> => {
    if (entry.client) return Promise.resolve({ ok: true, client: entry.client });
    entry.connecting ??= reconnect(entry).finally(() => {
      entry.connecting = undefined;
    });
    return entry.connecting;
  };

  const reconnect = async (entry: Entry): Promise<Connection> => {
    await sleep(pauseBefore(entry));
    const through = await jumpClient(entry);
    const found =
      through && !through.ok
        ? through
        : await connectHost(entry.host, {
            ...options,
            ...(through?.ok && { through: through.client }),
          });
    options.onConnect?.(entry.host.slug, found);
    if (!found.ok) {
      entry.failures += 1;
      entry.failedAt = performance.now();
      return found;
    }
    entry.failures = 0;
    const { client } = found;
    if (closed) client.destroy();
    else entry.client = client;
    const leaveJump = through?.ok ? clients.use(through.client) : undefined;
    client.once('close', () => {
      forget(entry, client);
      leaveJump?.();
    });
    return found;
  };

  const jumpClient = async (entry: Entry): Promise<Connection | undefined> => {
    if (entry.host.jump === undefined) return undefined;
    const jump = entries.get(entry.host.jump);
    if (jump) return connection(jump);
    const sentence = `${entry.host.slug} is reached through ${entry.host.jump}, which is not in fleet.yaml`;
    return { ok: false, trouble: { kind: 'unknown_host', sentence } };
  };

  return {
    isConnected: (hostSlug) => entries.get(hostSlug)?.client !== undefined,
    async reserveUnconnected(hostSlug): Promise<Reservation> {
      const entry = entries.get(hostSlug);
      if (!entry) return unknownHost(hostSlug);
      return { ok: true, slot: slotOn(entry, await entry.channels.take()) };
    },
    async reserve(hostSlug): Promise<Reservation> {
      const entry = entries.get(hostSlug);
      if (!entry) return unknownHost(hostSlug);
      const release = await entry.channels.take();
      const connected = await connection(entry);
      if (connected.ok) return { ok: true, slot: slotOn(entry, release) };
      release();
      return connected;
    },
    close() {
      closed = true;
      for (const entry of entries.values()) entry.client?.destroy();
      clients.destroyAll();
    },
  };

  function slotOn(entry: Entry, release: () => void): HostSlot {
    let prepared: Promise<OpenedChannel> | undefined;
    const nextChannel = (): Promise<OpenedChannel> => {
      const ready = prepared;
      prepared = undefined;
      return ready ?? openChannel(entry);
    };
    return {
      release() {
        void prepared?.then((opened) => {
          if (!opened.ok) return;
          opened.channel.close();
          opened.leave();
        });
        prepared = undefined;
        release();
      },
      greetingMs: options.connectMs,
      prepare() {
        prepared ??= openChannel(entry);
      },
      async run(job: RunJob): Promise<RunEnd> {
        const opened = await nextChannel();
        if (!opened.ok) return { kind: 'not_started', reason: opened.reason };
        const nonce = randomBytes(16).toString('hex');
        try {
          return await runOnChannel(opened.channel, job, { nonce, greetingMs: options.connectMs });
        } finally {
          opened.leave();
        }
      },
      async open() {
        const opened = await nextChannel();
        if (!opened.ok) return opened;
        const { channel, leave } = opened;
        channel.once('close', leave);
        return { ok: true, channel };
      },
    };
  }

  /** A channel that did not open has started nothing, so that trying again is safe. */
  async function openChannel(entry: Entry): Promise<OpenedChannel> {
    let reason = '';
    for (let tries = 1; tries <= CHANNEL_TRIES; tries += 1) {
      const connected = await connection(entry);
      if (!connected.ok) return { ok: false, reason: connected.trouble.sentence };
      const shell = entry.host.sudo ? 'exec sudo -n /bin/sh -s' : 'exec /bin/sh -s';
      const { client } = connected;
      const opened = await execChannel(client, shell, options.connectMs);
      // Counted from now on: until it is used, another slot may give its connection up.
      if (opened.ok) return { ...opened, leave: clients.use(client) };
      reason = `${entry.host.slug} opened no channel: ${opened.reason}`;
      if (!/channel open failure/i.test(opened.reason)) {
        forget(entry, client);
        clients.retire(client);
      }
      await sleep(100 * tries);
    }
    return { ok: false, reason };
  }
}

function unknownHost(hostSlug: string): Reservation {
  const sentence = `${hostSlug} is not in fleet.yaml`;
  return { ok: false, trouble: { kind: 'unknown_host', sentence } };
}

type Refusal = { readonly ok: false; readonly reason: string };
/** `leave` ends its use of the connection. */
type OpenedChannel =
  | { readonly ok: true; readonly channel: ClientChannel; readonly leave: () => void }
  | Refusal;

function execChannel(
  client: Client,
  line: string,
  patienceMs: number,
): Promise<{ readonly ok: true; readonly channel: ClientChannel } | Refusal> {
  return new Promise((resolve) => {
    let late = false;
    const timer = setTimeout(() => {
      late = true;
      resolve({ ok: false, reason: 'no answer in time' });
    }, patienceMs);
    const fail = (error: unknown) => {
      clearTimeout(timer);
      resolve({ ok: false, reason: error instanceof Error ? error.message : String(error) });
    };
    try {
      client.exec(line, (error, channel) => {
        if (error) return fail(error);
        // Nobody waits for it any more: its shell would wait for ever.
        if (late) return channel.close();
        clearTimeout(timer);
        resolve({ ok: true, channel });
      });
    } catch (error) {
      fail(error);
    }
  });
}

function forget(entry: Entry, client: Client): void {
  if (entry.client === client) entry.client = undefined;
}

/** The first attempt is immediate; after failures the next ones keep a growing distance. */
function pauseBefore({ failures, failedAt }: Entry): number {
  if (failures === 0) return 0;
  const pauseMs = Math.min(100 * 2 ** failures, LONGEST_PAUSE_MS);
  return Math.max(0, failedAt + pauseMs - performance.now());
}
