import { Client } from 'pg';

export interface Listening {
  close(): Promise<void>;
}

const FIRST_PAUSE_MS = 200;
const LONGEST_PAUSE_MS = 5_000;

/**
 * LISTENs on its own connection and comes back after it broke. A notification is a doorbell that
 * may be lost: whoever listens polls too. After a reconnect every channel is rung once with an
 * empty payload, because something may have been missed.
 */
export function listen(
  url: string,
  channels: readonly string[],
  onNotify: (channel: string, payload: string) => void,
  onError: (error: Error) => void,
): Listening {
  let closed = false;
  let client: Client | undefined;
  let timer: NodeJS.Timeout | undefined;
  let pauseMs = FIRST_PAUSE_MS;
  let connectedBefore = false;

  const again = () => {
    if (closed) return;
    clearTimeout(timer);
    timer = setTimeout(() => void open(), pauseMs);
    pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
  };

  const open = async () => {
    const fresh = new Client({
      connectionString: url,
      application_name: 'oikos-listen',
      keepAlive: true,
      keepAliveInitialDelayMillis: 10_000,
      connectionTimeoutMillis: 10_000,
    });
    client = fresh;
    let over = false;
    const broken = (error?: Error) => {
      if (over) return;
      over = true;
      if (error && !closed) onError(error);
      fresh.end().catch(() => undefined);
      again();
    };
    fresh.on('error', broken);
    fresh.on('end', () => broken());
    fresh.on('notification', ({ channel, payload }) => onNotify(channel, payload ?? ''));
    try {
      await fresh.connect();
      for (const channel of channels)
        await fresh.query(`listen ${fresh.escapeIdentifier(channel)}`);
    } catch (error) {
      broken(error instanceof Error ? error : new Error(String(error)));
      return;
    }
    pauseMs = FIRST_PAUSE_MS;
    if (connectedBefore) for (const channel of channels) onNotify(channel, '');
    connectedBefore = true;
  };

  void open();
  return {
    async close() {
      closed = true;
      clearTimeout(timer);
      await client?.end().catch(() => undefined);
    },
  };
}
