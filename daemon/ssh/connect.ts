import { connect as connectSocket } from 'node:net';
import type { Duplex } from 'node:stream';
import ssh2, { type Client, type ServerHostKeyAlgorithm } from 'ssh2';
import type { FleetHost } from '../fleet.ts';
import { ALGORITHMS, HOST_KEY_KINDS } from './algorithms.ts';
import {
  describeBadKey,
  describeFailure,
  describeForwarding,
  fingerprint,
  type HostTrouble,
  judgeHostKey,
} from './hosts.ts';

export type Connection =
  | { readonly ok: true; readonly client: Client }
  | { readonly ok: false; readonly trouble: HostTrouble };

/** Reads a secret file of the daemon: a private key or its passphrase. */
export type ReadFile = (path: string) => Promise<Buffer>;

/** Hears of the public key that a host shows, before it is judged. */
export type OnHostKey = (hostSlug: string, key: Buffer) => void;

/**
 * One authenticated connection with a checked host key, of whichever kind is pinned. `through` is the connection of the jump
 * host, if there is one.
 */
export async function connectHost(
  host: FleetHost,
  options: {
    readonly connectMs: number;
    readonly readFile: ReadFile;
    readonly through?: Client;
    readonly onHostKey?: OnHostKey;
  },
): Promise<Connection> {
  const loaded = await loadLogin(host, options);
  if (!loaded.ok) return loaded;
  const { login } = loaded;
  const attempt = async (hostKeyKinds: readonly ServerHostKeyAlgorithm[]): Promise<Connection> => {
    const socket = await openSocket(host, options);
    if (!socket.ok) return socket;
    return handshake(host, { ...options, login, socket: socket.socket, hostKeyKinds });
  };
  const first = await attempt(ALGORITHMS.serverHostKey);
  if (first.ok || first.trouble.kind !== 'changed_key') return first;
  // A host has keys of several kinds and shows the one we like best: the pinned one may be another.
  for (const kinds of HOST_KEY_KINDS) {
    const found = await attempt(kinds);
    if (found.ok || found.trouble.kind === 'refused_login') return found;
  }
  return first;
}

/** What ssh2 logs in by. */
type Login = { readonly privateKey: Buffer; readonly passphrase?: string } | { agent: string };

type LoadedLogin =
  | { readonly ok: true; readonly login: Login }
  | { readonly ok: false; readonly trouble: HostTrouble };

/** A wrong passphrase would throw inside connect(), a dead agent look like a refusal: both are found here, and said. */
async function loadLogin(
  host: FleetHost,
  { readFile, connectMs }: { readonly readFile: ReadFile; readonly connectMs: number },
): Promise<LoadedLogin> {
  const trouble = (why: string): LoadedLogin => ({
    ok: false,
    trouble: { kind: 'unusable_key', sentence: `the key for ${host.slug} cannot be used: ${why}` },
  });
  try {
    const { keyFile, passphraseFile } = host;
    if (keyFile === undefined) return await agentLogin(host.agent, connectMs, trouble);
    const privateKey = await readFile(keyFile);
    const passphrase =
      passphraseFile === undefined
        ? undefined
        : (await readFile(passphraseFile)).toString('utf8').replace(/\r?\n$/, '');
    const parsed = ssh2.utils.parseKey(privateKey, passphrase);
    if (parsed instanceof Error) return trouble(describeBadKey(parsed.message));
    return { ok: true, login: { privateKey, ...(passphrase !== undefined && { passphrase }) } };
  } catch (error) {
    return trouble(error instanceof Error ? error.message : String(error));
  }
}

async function agentLogin(
  named: string | undefined,
  patienceMs: number,
  trouble: (why: string) => LoadedLogin,
): Promise<LoadedLogin> {
  const agent = named === 'SSH_AUTH_SOCK' ? process.env['SSH_AUTH_SOCK'] : named;
  if (!agent) return trouble('SSH_AUTH_SOCK is not set where the daemon runs, so it has no agent');
  const count = await keysIn(agent, patienceMs);
  if (count === undefined) return trouble(`the agent at ${agent} does not answer`);
  if (count === 0) return trouble(`the agent at ${agent} holds no key: ssh-add the one for it`);
  return { ok: true, login: { agent } };
}

function keysIn(agent: string, patienceMs: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(undefined), patienceMs);
    ssh2.createAgent(agent).getIdentities((error, keys) => {
      clearTimeout(timer);
      resolve(error ? undefined : (keys?.length ?? 0));
    });
  });
}

type OpenedSocket =
  | { readonly ok: true; readonly socket: Duplex }
  | { readonly ok: false; readonly trouble: HostTrouble };

function openSocket(
  host: FleetHost,
  { connectMs, through }: { connectMs: number; through?: Client },
): Promise<OpenedSocket> {
  const { slug, address, port } = host;
  return new Promise((resolve) => {
    const fail = (error: unknown) => resolve({ ok: false, trouble: describeFailure(slug, error) });
    if (through) return resolve(forwardThrough(host, through, connectMs));
    // Our own socket, because Nagle's algorithm costs 90 ms a command (EXECUTION, SSH).
    const socket = connectSocket({ host: address, port, noDelay: true, keepAlive: true });
    socket.setTimeout(connectMs, () =>
      socket.destroy(Object.assign(new Error('no answer'), { code: 'ETIMEDOUT' })),
    );
    socket.once('error', fail);
    socket.once('connect', () => {
      socket.setTimeout(0);
      socket.off('error', fail);
      resolve({ ok: true, socket });
    });
  });
}

function forwardThrough(
  { slug, address, port, jump }: FleetHost,
  through: Client,
  connectMs: number,
): Promise<OpenedSocket> {
  return new Promise((resolve) => {
    let late = false;
    const timer = setTimeout(() => {
      late = true;
      resolve({ ok: false, trouble: describeFailure(slug, { code: 'ETIMEDOUT' }) });
    }, connectMs);
    const fail = (error: unknown) => {
      clearTimeout(timer);
      const way = `${jump ?? 'the jump host'} cannot reach ${slug} at ${address}:${port}`;
      resolve({ ok: false, trouble: describeForwarding(way, error) });
    };
    try {
      through.forwardOut('127.0.0.1', 0, address, port, (error, socket) => {
        if (error) return fail(error);
        clearTimeout(timer);
        if (late) socket.destroy();
        else resolve({ ok: true, socket });
      });
    } catch (error) {
      fail(error);
    }
  });
}

function handshake(
  host: FleetHost,
  options: {
    readonly connectMs: number;
    readonly login: Login;
    readonly socket: Duplex;
    readonly hostKeyKinds: readonly ServerHostKeyAlgorithm[];
    readonly onHostKey?: OnHostKey;
  },
): Promise<Connection> {
  return new Promise((resolve) => {
    const client = new ssh2.Client();
    let badKey: HostTrouble | undefined;
    const fail = (error: unknown) => {
      client.destroy();
      resolve({ ok: false, trouble: badKey ?? describeFailure(host.slug, error) });
    };
    client.once('ready', () => resolve({ ok: true, client }));
    client.on('error', fail);
    client.once('close', () => fail(new Error('it closed the connection')));
    try {
      client.connect({
        sock: options.socket,
        username: host.user,
        ...options.login,
        algorithms: { ...ALGORITHMS, serverHostKey: [...options.hostKeyKinds] },
        readyTimeout: options.connectMs,
        keepaliveInterval: 5_000,
        keepaliveCountMax: 3,
        hostVerifier: (key: Buffer) => {
          options.onHostKey?.(host.slug, key);
          badKey = judgeHostKey(host, fingerprint(key));
          return badKey === undefined;
        },
      });
    } catch (error) {
      fail(error);
    }
  });
}
