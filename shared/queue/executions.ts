import { Queue, Worker } from 'bullmq';
import { Redis } from 'ioredis';
import { z } from 'zod';

/** A job is a doorbell: the id of a row, never what to do. */
const jobSchema = z.object({ executionId: z.uuid() });

/** BullMQ forbids ':' in names. */
function queueName(site: string): string {
  return `executions-${site}`;
}

export interface Doorbell {
  /** Best effort within one second; a lost ring is repeated by the daemon's sweeper. */
  ring(execution: { id: string; site: string }): Promise<void>;
  ping(): Promise<boolean>;
  close(): Promise<void>;
}

export interface QueueHooks {
  /** Called at most once in ten seconds however often the connection fails. */
  readonly onError: (error: Error) => void;
}

const RING_PATIENCE_MS = 1_000;

/** Rings daemons by BullMQ on Redis or Valkey; one queue a site. */
export function connectDoorbell(redisUrl: string, hooks: QueueHooks): Doorbell {
  const onError = rateLimited(hooks.onError);
  const connection = new Redis(redisUrl, {
    enableOfflineQueue: false,
    maxRetriesPerRequest: 1,
    retryStrategy: (attempt) => Math.min(attempt * 200, 5_000),
  });
  connection.on('error', onError);
  const queues = new Map<string, Queue>();
  const queueOf = (site: string) => {
    const known = queues.get(site);
    if (known) return known;
    const queue = new Queue(queueName(site), { connection });
    queue.on('error', onError);
    queues.set(site, queue);
    return queue;
  };
  return {
    async ring({ id, site }) {
      const added = queueOf(site).add(
        'run',
        { executionId: id },
        { jobId: `x-${id}`, attempts: 1, removeOnComplete: 100, removeOnFail: 100 },
      );
      await settled(added, RING_PATIENCE_MS, onError);
    },
    ping: () => answers(connection),
    async close() {
      await Promise.allSettled([...queues.values()].map((queue) => queue.close()));
      connection.disconnect();
    },
  };
}

export interface Listener {
  ping(): Promise<boolean>;
  /** Takes no further jobs and waits for those in hand up to `patienceMs`. */
  close(): Promise<void>;
}

/**
 * Hears the doorbell of one site. BullMQ never decides an outcome: one attempt, stalled jobs are
 * not run again; the row in Postgres says whether anything is to be done.
 */
export function listenForExecutions(
  redisUrl: string,
  site: string,
  options: { concurrency: number; onRing: (executionId: string) => Promise<void> } & QueueHooks,
): Listener {
  const onError = rateLimited(options.onError);
  const connection = new Redis(redisUrl, {
    maxRetriesPerRequest: null,
    retryStrategy: (attempt) => Math.min(attempt * 200, 5_000),
  });
  connection.on('error', onError);
  const worker = new Worker(
    queueName(site),
    async (job) => {
      const parsed = jobSchema.safeParse(job.data);
      if (parsed.success) await options.onRing(parsed.data.executionId);
    },
    {
      connection,
      concurrency: options.concurrency,
      lockDuration: 60_000,
      maxStalledCount: 0,
      maxStartedAttempts: 1,
      removeOnComplete: { count: 100 },
      removeOnFail: { count: 100 },
    },
  );
  worker.on('error', onError);
  return {
    ping: () => answers(connection),
    async close() {
      await worker.close(true);
      connection.disconnect();
    },
  };
}

async function settled(
  work: Promise<unknown>,
  patienceMs: number,
  onError: (error: Error) => void,
): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new Error(`the queue did not answer in ${patienceMs} ms`)),
      patienceMs,
    );
  });
  try {
    await Promise.race([work, tooLate]);
  } catch (error) {
    onError(error instanceof Error ? error : new Error(String(error)));
  } finally {
    clearTimeout(timer);
  }
}

async function answers(connection: Redis): Promise<boolean> {
  if (connection.status !== 'ready') return false;
  try {
    return (await connection.ping()) === 'PONG';
  } catch {
    return false;
  }
}

/** A read-only replica or a dead server may fail thousands of times a second. */
function rateLimited(report: (error: Error) => void): (error: Error) => void {
  let nextAt = 0;
  return (error) => {
    if (performance.now() < nextAt) return;
    nextAt = performance.now() + 10_000;
    report(error);
  };
}
