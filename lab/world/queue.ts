import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import type { PythonWorld } from '../services/python.ts';
import { startValkey } from '../services/valkey.ts';

/** Programs that serve as the demo's doorbell where Python does not bring one. */
const SERVERS = ['valkey-server', 'redis-server'] as const;

export interface Queue {
  readonly url: string;
  stop(): Promise<void>;
}

/** Undefined when neither Python, nor REDIS_URL, nor the machine has one. */
export async function startQueue(options: {
  readonly dir: string;
  readonly python: PythonWorld | undefined;
  /** An own server to use instead, as REDIS_URL. */
  readonly ownUrl: string | undefined;
}): Promise<Queue | undefined> {
  const { dir, python, ownUrl } = options;
  if (python === undefined && ownUrl) return { url: ownUrl, stop: async () => undefined };
  const program = python?.valkeyServer ?? SERVERS.find(isInstalled);
  if (program === undefined) return undefined;
  return startValkey({
    dir: join(dir, 'valkey'),
    valkeyServer: program,
    persist: true,
    ownGroup: true,
  });
}

function isInstalled(program: string): boolean {
  return spawnSync(program, ['--version'], { stdio: 'ignore' }).status === 0;
}
