import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { NODE_FLAGS } from '../shared/node-flags.ts';
import { ServiceFailedError } from './services/children.ts';
import { createLogRing } from './services/log-ring.ts';
import { until } from './services/until.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** One of Oikos's two processes, started and killed at will: for tests that injure it. */
export interface OikosProcess {
  readonly name: string;
  /** Base URL of its health port. */
  readonly url: string;
  /** Spawns it; resolves once `/readyz` answers 200. */
  start(): Promise<void>;
  /** Sends a signal and waits for the end. */
  end(signal: NodeJS.Signals): Promise<void>;
  running(): boolean;
  pid(): number | undefined;
  /** The last lines that it wrote. */
  logTail(): string;
}

const READY_PATIENCE_MS = 60_000;

export function oikosProcess(options: {
  readonly name: 'bot' | 'daemon';
  readonly port: number;
  readonly env: NodeJS.ProcessEnv;
}): OikosProcess {
  const { name, port, env } = options;
  const url = `http://127.0.0.1:${port}`;
  const log = createLogRing();
  let child: ChildProcess | undefined;
  const running = () => child !== undefined && child.exitCode === null && child.signalCode === null;
  return {
    name,
    url,
    running,
    logTail: log.tail,
    pid: () => child?.pid,
    async start() {
      if (running()) return;
      const fresh = spawn(process.execPath, [...NODE_FLAGS, `${name}/main.ts`], {
        cwd: ROOT,
        env,
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      child = fresh;
      fresh.stdout.on('data', (chunk: Buffer) => log.write(chunk));
      fresh.stderr.on('data', (chunk: Buffer) => log.write(chunk));
      await until(
        async () => {
          // An early end is reported below, not waited for.
          if (running() && !(await isReady(url))) throw new Error('not ready');
        },
        { patienceMs: READY_PATIENCE_MS },
      ).catch(() => undefined);
      if (!(running() && (await isReady(url)))) {
        throw new ServiceFailedError(`The ${name}`, 'did not become ready', log.tail());
      }
    },
    async end(signal) {
      if (!child || !running()) return;
      const ended = once(child, 'exit');
      child.kill(signal);
      await ended;
    },
  };
}

export async function isReady(url: string): Promise<boolean> {
  try {
    const answer = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(2_000) });
    await answer.body?.cancel();
    return answer.ok;
  } catch {
    return false;
  }
}
