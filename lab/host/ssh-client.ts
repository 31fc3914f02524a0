/** A small SSH client for the lab's own tests: one warm connection, whole outcomes. */
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { Client, type ClientChannel } from 'ssh2';
import { fingerprintOfBlob } from './keys.ts';
import type { LabHost } from './lab-host.ts';

export interface SshOutcome {
  /** Null when a signal ended it or the connection broke. */
  readonly code: number | null;
  /** `TERM`; undefined when it ended by itself. */
  readonly signal: string | undefined;
  readonly stdout: string;
  readonly stderr: string;
}

/** Accepts the one host key only; rejects with ssh2's error. */
export function connectTo(host: LabHost, fingerprint = host.hostKeyFingerprint): Promise<Client> {
  const client = new Client();
  const sock = connect({ host: host.address, port: host.port, noDelay: true });
  return new Promise((resolve, reject) => {
    sock.on('error', reject);
    client.once('ready', () => resolve(client));
    client.on('error', reject);
    client.connect({
      sock,
      username: host.user,
      privateKey: readFileSync(host.privateKeyPath),
      hostVerifier: (key: Buffer) => fingerprintOfBlob(key) === fingerprint,
    });
  });
}

export function openCommand(client: Client, command: string): Promise<ClientChannel> {
  return new Promise((resolve, reject) => {
    client.exec(command, (error, channel) => (error ? reject(error) : resolve(channel)));
  });
}

export function openShell(client: Client): Promise<ClientChannel> {
  return new Promise((resolve, reject) => {
    client.shell(false, (error, channel) => (error ? reject(error) : resolve(channel)));
  });
}

/** How it ended. The event of the exit alone may have passed already; that of the close repeats it. */
export function outcomeOf(channel: ClientChannel): Promise<SshOutcome> {
  let stdout = '';
  let stderr = '';
  channel.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  channel.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  return new Promise((resolve) => {
    channel.once('close', (code: number | null = null, signal?: string) => {
      resolve({ code, signal: signal?.replace(/^SIG/, ''), stdout, stderr });
    });
  });
}

/** Runs a command over the client with the given stdin, to its end. */
export async function runOver(client: Client, command: string, input = ''): Promise<SshOutcome> {
  const channel = await openCommand(client, command);
  const ended = outcomeOf(channel);
  channel.end(input);
  return ended;
}
