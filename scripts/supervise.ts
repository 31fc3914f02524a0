import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { NODE_FLAGS } from '../shared/node-flags.ts';

export interface ProcessSpec {
  readonly name: string;
  /** Path of the entry, relative to the repository. */
  readonly entry: string;
  readonly env: NodeJS.ProcessEnv;
  /** Where its output goes; 'inherit' for the terminal. */
  readonly output: 'inherit' | number;
}

export interface Supervised {
  readonly name: string;
  pid(): number | undefined;
  /** Resolves with the exit code when the process ended early and is not started again. */
  readonly gaveUp: Promise<number>;
  /** SIGTERM, then SIGKILL after 12 s: the processes themselves end within 10. */
  stop(): Promise<void>;
}

/** An end within this time after the first start is a bad setting: starting again would not help. */
const EARLY_MS = 5_000;
const KILL_AFTER_MS = 12_000;
const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** Keeps one process running: started again after a crash, with a growing pause. */
export function supervise(spec: ProcessSpec): Supervised {
  let child: ChildProcess | undefined;
  let stopping = false;
  let pauseMs = 500;
  let timer: NodeJS.Timeout | undefined;
  const giveUp = Promise.withResolvers<number>();
  const firstStart = performance.now();

  const start = () => {
    const startedAt = performance.now();
    const fresh = spawn(process.execPath, [...NODE_FLAGS, spec.entry], {
      cwd: ROOT,
      env: spec.env,
      stdio: ['ignore', spec.output, spec.output],
    });
    child = fresh;
    fresh.once('error', () => giveUp.resolve(1));
    fresh.once('exit', (code) => {
      if (stopping) return;
      if (code !== null && code !== 0 && performance.now() - firstStart < EARLY_MS) {
        giveUp.resolve(code);
        return;
      }
      pauseMs = performance.now() - startedAt > 60_000 ? 500 : Math.min(pauseMs * 2, 30_000);
      timer = setTimeout(start, pauseMs);
    });
  };
  start();
  return {
    name: spec.name,
    pid: () => child?.pid,
    gaveUp: giveUp.promise,
    async stop() {
      stopping = true;
      clearTimeout(timer);
      if (!child || child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      const kill = setTimeout(() => child?.kill('SIGKILL'), KILL_AFTER_MS);
      await ended;
      clearTimeout(kill);
    },
  };
}
