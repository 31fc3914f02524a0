import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createLogRing, type LogRing } from './log-ring.ts';

export interface ChildOptions {
  /** What people call it, for error messages. */
  name: string;
  command: string;
  args: readonly string[];
  cwd: string;
  env?: NodeJS.ProcessEnv;
  owner?: { uid: number; gid: number };
  /** The signal that ends it in an orderly way. */
  stopSignal: NodeJS.Signals;
  /** Own process group: Ctrl-C in the terminal then reaches only us, and we stop it in our order. */
  ownGroup?: boolean;
}

export interface Child {
  readonly pid: number;
  readonly running: () => boolean;
  readonly logTail: () => string;
  /** Sends the stop signal and waits for the end; SIGKILL after `patienceMs`. Calling it twice is fine. */
  readonly stop: (patienceMs?: number) => Promise<void>;
}

export class ServiceFailedError extends Error {
  override readonly name = 'ServiceFailedError';
  readonly service: string;
  constructor(service: string, reason: string, logTail: string) {
    super(`${service} ${reason}${logTail === '' ? '' : `; its last words:\n${logTail}`}`);
    this.service = service;
  }
}

const running = new Map<ChildProcess, NodeJS.Signals>();
let exitHookInstalled = false;
let pdeathsigWorks: boolean | undefined;

/**
 * Starts a server that must not outlive us: it is signalled when this process exits, and by the
 * kernel when this process crashes, where util-linux's setpriv is installed.
 * @throws ServiceFailedError when the program cannot be started at all.
 */
export async function startChild(options: ChildOptions): Promise<Child> {
  installExitHook();
  const log = createLogRing();
  const child = launch(options);
  child.stdout?.on('data', (chunk: Buffer) => log.write(chunk));
  child.stderr?.on('data', (chunk: Buffer) => log.write(chunk));
  running.set(child, options.stopSignal);
  child.once('exit', () => running.delete(child));
  try {
    await once(child, 'spawn');
  } catch (error) {
    running.delete(child);
    throw new ServiceFailedError(options.name, `could not be started (${String(error)})`, '');
  }
  return describeChild(child, log, options.stopSignal);
}

/** Runs `isReady` until it succeeds; gives up at once when the child has ended. */
export async function waitUntilReady(
  child: Child,
  name: string,
  isReady: () => Promise<boolean>,
  patienceMs: number,
): Promise<void> {
  const deadline = performance.now() + patienceMs;
  while (!(await isReady())) {
    if (!child.running()) {
      throw new ServiceFailedError(name, 'ended while it was starting', child.logTail());
    }
    if (performance.now() > deadline) {
      const tail = child.logTail();
      await child.stop(2_000);
      throw new ServiceFailedError(name, `was not ready after ${patienceMs} ms`, tail);
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

function launch(options: ChildOptions): ChildProcess {
  const own = options.owner === undefined ? {} : options.owner;
  const [command, args] = diesWithUs(options);
  return spawn(command, args, {
    ...own,
    cwd: options.cwd,
    env: options.env ?? process.env,
    detached: options.ownGroup ?? false,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

function diesWithUs(options: ChildOptions): [string, readonly string[]] {
  if (!canSetPdeathsig()) return [options.command, options.args];
  const signal = options.stopSignal.replace(/^SIG/, '');
  return ['setpriv', ['--pdeathsig', signal, '--', options.command, ...options.args]];
}

function canSetPdeathsig(): boolean {
  pdeathsigWorks ??= spawnSync('setpriv', ['--pdeathsig', 'TERM', '--', 'true']).status === 0;
  return pdeathsigWorks;
}

function describeChild(child: ChildProcess, log: LogRing, stopSignal: NodeJS.Signals): Child {
  const isRunning = () => child.exitCode === null && child.signalCode === null;
  return {
    pid: child.pid ?? -1,
    running: isRunning,
    logTail: log.tail,
    stop: async (patienceMs = 15_000) => {
      if (!isRunning()) return;
      const ended = once(child, 'exit');
      child.kill(stopSignal);
      const killer = setTimeout(() => child.kill('SIGKILL'), patienceMs);
      await ended;
      clearTimeout(killer);
    },
  };
}

function installExitHook(): void {
  if (exitHookInstalled) return;
  exitHookInstalled = true;
  process.once('exit', () => {
    for (const [child, signal] of running) child.kill(signal);
  });
}
