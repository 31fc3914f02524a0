import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { connect } from 'node:net';
import { resolve } from 'node:path';
import { startChild, waitUntilReady } from './children.ts';
import { freePort } from './free-port.ts';

export interface ValkeyOptions {
  /** Working folder; the append-only file lives here. */
  dir: string;
  /** The server program, see `ensurePython`. */
  valkeyServer: string;
  /** Keep data across restarts (append-only file). */
  persist: boolean;
  port?: number;
  ownGroup?: boolean;
}

export interface ValkeyService {
  url: string;
  pid: number;
  stop: () => Promise<void>;
}

/** A Valkey on 127.0.0.1. It never evicts: the queue's keys are not a cache. */
export async function startValkey(options: ValkeyOptions): Promise<ValkeyService> {
  const port = options.port ?? (await freePort());
  await mkdir(options.dir, { recursive: true, mode: 0o700 });
  const child = await startChild({
    name: 'Valkey',
    command: options.valkeyServer,
    args: valkeyFlags(options, port),
    cwd: options.dir,
    stopSignal: 'SIGTERM',
    ownGroup: options.ownGroup ?? false,
  });
  await waitUntilReady(child, 'Valkey', () => answersPing(port), 10_000);
  return { url: `redis://127.0.0.1:${port}`, pid: child.pid, stop: () => child.stop() };
}

function valkeyFlags({ dir, persist }: ValkeyOptions, port: number): string[] {
  const durability = ['--appendonly', persist ? 'yes' : 'no', '--save', ''];
  const place = ['--port', `${port}`, '--bind', '127.0.0.1', '--dir', resolve(dir)];
  return [...place, ...durability, '--maxmemory-policy', 'noeviction'];
}

async function answersPing(port: number): Promise<boolean> {
  const socket = connect({ port, host: '127.0.0.1' });
  socket.setTimeout(1_000, () => socket.destroy(new Error('no answer to PING')));
  try {
    await once(socket, 'connect');
    socket.write('PING\r\n');
    const [answer] = await once(socket, 'data');
    return String(answer).startsWith('+PONG');
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
