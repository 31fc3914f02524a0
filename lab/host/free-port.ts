/** A port on 127.0.0.1 that nobody listens on, below the range from which the kernel lends ports. */
import { createServer } from 'node:net';

const LOWEST = 20_000;
const HIGHEST = 32_000;
const ATTEMPTS = 50;

export async function findFreePort(random: () => number = Math.random): Promise<number> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const port = LOWEST + Math.floor(random() * (HIGHEST - LOWEST));
    if (await isFree(port)) return port;
  }
  throw new Error(`no free port on 127.0.0.1 in ${ATTEMPTS} attempts`);
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen({ host: '127.0.0.1', port, exclusive: true }, () => {
      server.close(() => resolve(true));
    });
  });
}
