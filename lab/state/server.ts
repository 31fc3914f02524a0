import { mkdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import ssh2, { type Connection } from 'ssh2';
import type { FleetHost } from '../fleet.ts';
import { fingerprintOf, makeKey } from '../host/keys.ts';
import { freePort } from '../services/free-port.ts';
import { answerFromState } from './answer.ts';
import { newHouse } from './house.ts';
import { type Answering, serve } from './serve.ts';

/** A host of the lab that only has state. */
export interface StateHost extends FleetHost {
  /** The state as it was at first. */
  renew(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * An SSH server that answers from state: it accepts one key, starts no process and reads no file
 * for its clients. For machines on which nothing can be confined, or that have no sshd.
 */
export async function startStateHost(options: {
  readonly dir: string;
  readonly name: string;
  readonly hasContainers: boolean;
}): Promise<StateHost> {
  const { dir, name } = options;
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const clientKey = makeKey(join(dir, 'id_ed25519'), 'lab operator');
  const hostKey = makeKey(join(dir, 'host_key'), name);
  let house = newHouse(name, options.hasContainers, Date.now());
  const answering: Answering = {
    answer: ({ vmid, command }) => answerFromState(house, vmid, command, Date.now()),
    ended: new Map(),
  };
  const connections = new Set<Connection>();
  const server = new ssh2.Server(
    { hostKeys: [await readFile(join(dir, 'host_key'))] },
    (client) => {
      connections.add(client);
      client.once('close', () => connections.delete(client));
      client.on('error', () => undefined);
      admit(client, clientKey);
      client.on('session', (accept) => {
        accept().on('exec', (acceptExec) => serve(acceptExec(), answering));
      });
    },
  );
  const port = await freePort();
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  return {
    name,
    address: '127.0.0.1',
    port,
    user: 'root',
    privateKeyPath: join(dir, 'id_ed25519'),
    hostKeyFingerprint: fingerprintOf(hostKey),
    renew: async () => {
      house = newHouse(name, options.hasContainers, Date.now());
    },
    stop: () =>
      new Promise((resolve) => {
        for (const client of connections) client.end();
        server.close(() => resolve());
      }),
  };
}

function admit(client: Connection, publicLine: string): void {
  const key = ssh2.utils.parseKey(publicLine);
  client.on('authentication', (context) => {
    if (context.method !== 'publickey' || key instanceof Error)
      return context.reject(['publickey']);
    const known = context.key.data.equals(key.getPublicSSH());
    const { signature, blob, hashAlgo } = context;
    const proven = !signature || !blob || key.verify(blob, signature, hashAlgo) === true;
    return known && proven ? context.accept() : context.reject(['publickey']);
  });
}
