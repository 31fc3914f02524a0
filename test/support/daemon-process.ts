import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { onTestFinished } from 'vitest';
import { until } from '../../lab/services/until.ts';
import { NODE_FLAGS } from '../../shared/node-flags.ts';
import {
  daemonEnvironment,
  type HostOptions,
  type ProcessOptions,
  type World,
} from './daemon-world.ts';

/** Loading the program alone takes seconds on a machine that does much else. */
const STARTS = { patienceMs: 40_000 };

export interface DaemonProcess {
  readonly child: ChildProcess;
  readonly port: string;
  /** Everything that it printed. */
  said(): string;
  get(path: string): Promise<Response>;
  /** SIGTERM, and how it ended: exit code, and after how long. */
  end(): Promise<{ code: number | null; ms: number }>;
}

/** daemon/main.ts as a process of its own, ready to work: an error that nobody catches ends it. */
export async function daemonProcess(
  home: World,
  host: HostOptions,
  more: ProcessOptions = {},
): Promise<DaemonProcess> {
  const child = spawn(process.execPath, [...NODE_FLAGS, 'daemon/main.ts'], {
    env: daemonEnvironment(home, host, more),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let said = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      said += chunk.toString('utf8');
    });
  }
  const port = await until(async () => {
    const found = /"port":(\d+),"msg":"daemon ready"/.exec(said)?.[1];
    if (found === undefined) throw new Error(`not ready: ${said}`);
    return found;
  }, STARTS);
  return {
    child,
    port,
    said: () => said,
    get: (path) => fetch(`http://127.0.0.1:${port}${path}`),
    async end() {
      const asked = performance.now();
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      const [code] = (await ended) as [number | null];
      return { code, ms: performance.now() - asked };
    },
  };
}
