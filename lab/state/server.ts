import { mkdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import ssh2, { type Connection, type ServerChannel } from 'ssh2';
import type { FleetHost } from '../fleet.ts';
import { fingerprintOf, makeKey } from '../host/keys.ts';
import { freePort } from '../services/free-port.ts';
import { answerFromState } from './answer.ts';
import { type House, newHouse } from './house.ts';
import { isWholeScript, readSupervised } from './wire.ts';

/** A host of the lab that only has state. */
export interface StateHost extends FleetHost {
  /** The state as it was at first. */
  renew(): Promise<void>;
  stop(): Promise<void>;
}

/** More on stdin than any script of ours is no script of ours. */
const MAX_SCRIPT = 512 * 1024;

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
  const connections = new Set<Connection>();
  const server = new ssh2.Server(
    { hostKeys: [await readFile(join(dir, 'host_key'))] },
    (client) => {
      connections.add(client);
      client.once('close', () => connections.delete(client));
      client.on('error', () => undefined);
      admit(client, clientKey);
      client.on('session', (accept) => {
        accept().on('exec', (acceptExec) => serve(acceptExec(), () => house));
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

/** Speaks the daemon's handshake: the script comes in, `ready` goes out, `go` starts it. */
function serve(channel: ServerChannel, house: () => House): void {
  let received = '';
  let script: ReturnType<typeof readSupervised>;
  const end = (code: number) => {
    channel.exit(code);
    channel.end();
  };
  channel.on('error', () => undefined);
  channel.on('data', (chunk: Buffer) => {
    received += chunk.toString('utf8');
    if (received.length > MAX_SCRIPT) return end(1);
    if (script) return received.includes(`go ${script.nonce}\n`) ? run() : undefined;
    if (!isWholeScript(received)) return;
    script = readSupervised(received);
    received = '';
    if (script) channel.write(`oikos ${script.nonce} ready\n`);
    else end(1);
  });
  const run = () => {
    if (!script) return;
    const answer = answerFromState(house(), script.vmid, script.command, Date.now());
    channel.write(answer.out ?? '');
    channel.stderr.write(answer.err ?? '');
    end(answer.code);
  };
}
