import { Redis } from 'ioredis';

/** What a Redis or Valkey server says of itself. */
export interface QueueServer {
  readonly version: string;
  /** `noeviction` is the only one that never loses a ring. */
  readonly evictionPolicy: string;
  /** A replica takes no writes. */
  readonly replica: boolean;
  /** Whether it keeps what it was told over a restart. */
  readonly persistent: boolean;
}

/**
 * Asks the server once; for a person who sets Oikos up.
 * @throws what the connection says: refused, wrong password, unknown name.
 */
export async function inspectQueueServer(
  redisUrl: string,
  patienceMs: number,
): Promise<QueueServer> {
  const connection = new Redis(redisUrl, {
    lazyConnect: true,
    connectTimeout: patienceMs,
    commandTimeout: patienceMs,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
  });
  // connect() itself rejects with "Connection is closed"; the reason comes as an event.
  let reason: Error | undefined;
  connection.on('error', (error) => {
    reason ??= error;
  });
  try {
    await connection.connect();
    return readInfo(await connection.info());
  } catch (error) {
    throw reason ?? error;
  } finally {
    connection.disconnect();
  }
}

/** `name:value` lines of INFO; Valkey names its own version beside Redis's. */
export function readInfo(info: string): QueueServer {
  const values = new Map(
    info.split(/\r?\n/).map((line) => {
      const [name = '', ...value] = line.split(':');
      return [name, value.join(':')] as const;
    }),
  );
  const valkey = values.get('valkey_version');
  return {
    version: valkey ? `Valkey ${valkey}` : `Redis ${values.get('redis_version') ?? 'unknown'}`,
    evictionPolicy: values.get('maxmemory_policy') ?? 'unknown',
    replica: values.get('role') === 'slave',
    persistent: values.get('aof_enabled') === '1',
  };
}
