import { inspectQueueServer, type QueueServer } from '../../shared/queue/inspect.ts';
import { type Check, fails, note, ok } from '../check.ts';
import { reasonOf } from '../reason.ts';
import { type Env, readSettings } from '../settings.ts';
import { placeOf } from './place.ts';

const PATIENCE_MS = 5_000;

/** Whether the doorbell between bot and daemon can ring and forgets nothing. */
export async function checkQueue(env: Env): Promise<readonly Check[]> {
  const settings = readSettings(env, ['REDIS_URL']);
  if (!settings.ok) return settings.problems.map((problem) => fails(problem));
  const { REDIS_URL: url } = settings.config;
  const place = placeOf(url);
  try {
    return queueChecks(place, await inspectQueueServer(url, PATIENCE_MS));
  } catch (error) {
    const reason = reasonOf(error);
    const todo = /WRONGPASS|NOAUTH/.test(reason)
      ? 'put its password into REDIS_URL: redis://:password@host:6379'
      : 'start Redis or Valkey, or correct REDIS_URL';
    return [fails(`the queue at ${place} cannot be used (${reason})`, todo)];
  }
}

export function queueChecks(place: string, server: QueueServer): readonly Check[] {
  const { version, evictionPolicy, replica, persistent } = server;
  if (replica) {
    return [fails(`${place} is a replica, which takes no writes`, 'set REDIS_URL to the primary')];
  }
  if (evictionPolicy !== 'noeviction') {
    return [
      fails(
        `${place} throws away what does not fit (maxmemory-policy ${evictionPolicy})`,
        'set maxmemory-policy noeviction in its configuration',
      ),
    ];
  }
  const queue = ok(`queue: ${version} at ${place}, maxmemory-policy noeviction`);
  // Not a failure: the daemon's sweep finds in Postgres whatever was lost.
  return persistent
    ? [queue]
    : [
        queue,
        note('the queue keeps nothing over a restart', 'appendonly yes makes it ring sooner then'),
      ];
}
