import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Linux hands out ports from 32768 upwards to outgoing sockets, which would race a server for them. */
const LOWEST = 20_000;
const HIGHEST = 32_767;
const MAX_TRIES = 100;

const handedOut = new Set<number>();

export class NoFreePortError extends Error {
  override readonly name = 'NoFreePortError';
  constructor() {
    super(`no free port on 127.0.0.1 between ${LOWEST} and ${HIGHEST} after ${MAX_TRIES} tries`);
  }
}

/** A port on 127.0.0.1 that nobody listens on; never the same one twice in a process. */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const port = randomInt(LOWEST, HIGHEST + 1);
    if (handedOut.has(port) || !(await canListen(port))) continue;
    handedOut.add(port);
    return port;
  }
  throw new NoFreePortError();
}

async function canListen(port: number): Promise<boolean> {
  const server = createServer();
  try {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
  } catch {
    return false;
  }
  server.close();
  await once(server, 'close');
  return true;
}
