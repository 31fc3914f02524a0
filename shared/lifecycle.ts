import type { Log } from './log.ts';

export interface Lifecycle {
  /** Ends the process in order, once; `code` is its exit code. */
  shutdown(why: string, code: number): void;
}

export interface LifecycleOptions {
  readonly log: Pick<Log, 'info' | 'error' | 'fatal'>;
  /** Stops everything in order. */
  readonly stop: () => Promise<void>;
  readonly patienceMs?: number;
  readonly exit?: (code: number) => void;
}

const PATIENCE_MS = 10_000;

/**
 * Orderly end on SIGTERM and SIGINT within 10 s, and a logged end with code 1 on an error that
 * nobody caught: a process in an unknown state must not go on holding keys.
 */
export function watchLifecycle(options: LifecycleOptions): Lifecycle {
  const { log, stop, patienceMs = PATIENCE_MS, exit = (code) => process.exit(code) } = options;
  let ending = false;
  const end = async (why: string, code: number) => {
    if (ending) return;
    ending = true;
    log.info({ why }, 'stopping');
    const timer = setTimeout(() => {
      log.error({ patienceMs }, 'did not stop in time');
      exit(1);
    }, patienceMs);
    try {
      await stop();
      log.info('stopped');
      exit(code);
    } catch (error) {
      log.error({ err: error }, 'stopping failed');
      exit(1);
    } finally {
      clearTimeout(timer);
    }
  };
  const crash = (error: unknown) => {
    log.fatal({ err: error }, 'unexpected error');
    void end('unexpected error', 1);
  };
  process.once('SIGTERM', () => void end('SIGTERM', 0));
  process.once('SIGINT', () => void end('SIGINT', 0));
  process.once('uncaughtException', crash);
  process.once('unhandledRejection', crash);
  return { shutdown: (why, code) => void end(why, code) };
}
