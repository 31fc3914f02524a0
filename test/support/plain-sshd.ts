import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../lab/services/free-port.ts';
import { until } from '../../lab/services/until.ts';

export interface PlainSshd {
  readonly port: number;
  readonly user: string;
  readonly keyFile: string;
  /** `SHA256:…` of its host key. */
  readonly hostKey: string;
  /** The sshd processes of its connections. */
  sessions(): number[];
  /** Ends it with all of its connections, as a power cut would. */
  cut(): void;
  start(): Promise<void>;
}

/** A real sshd without confinement, for commands that the test itself wrote. */
export async function startPlainSshd(
  dir: string,
  moreLines: readonly string[] = [],
): Promise<PlainSshd> {
  const keyFile = makeKey(dir, 'user_key');
  const hostKeyFile = makeKey(dir, 'host_key');
  const port = await freePort();
  const config = join(dir, 'sshd_config');
  writeFileSync(join(dir, 'authorized_keys'), readFileSync(`${keyFile}.pub`));
  writeFileSync(
    config,
    [
      `Port ${port}`,
      'ListenAddress 127.0.0.1',
      `HostKey ${hostKeyFile}`,
      `AuthorizedKeysFile ${join(dir, 'authorized_keys')}`,
      'StrictModes no',
      'UsePAM no',
      'PasswordAuthentication no',
      'PermitRootLogin yes',
      'PidFile none',
      ...moreLines,
      '',
    ].join('\n'),
  );
  let child: ChildProcess | undefined;
  const start = async () => {
    const [program = '', ...args] = [...wrapping(), sshdPath(), '-D', '-e', '-f', config];
    child = spawn(program, args, { stdio: 'ignore' });
    await until(() => listening(port), { patienceMs: 5_000, everyMs: 20 });
  };
  await start();
  return {
    port,
    user: userInfo().username,
    keyFile,
    hostKey: fingerprintOf(`${hostKeyFile}.pub`),
    start,
    sessions: () => (child?.pid === undefined ? [] : childrenOf(child.pid)),
    cut() {
      const pid = child?.pid;
      if (pid === undefined) return;
      for (const session of [...childrenOf(pid), pid]) kill(session);
    },
  };
}

/**
 * Root's sshd insists on its empty folder /run/sshd, at every connection: it gets a /run of its own
 * where that is allowed, because any other sshd that ends may take the common one away. What this
 * machine's own .bashrc does at each login is no part of what is tested or measured.
 */
function wrapping(): string[] {
  if (process.getuid?.() !== 0) return [];
  mkdirSync('/run/sshd', { recursive: true });
  if (spawnSync('unshare', ['--mount', 'mount', '-t', 'tmpfs', 'tmpfs', '/run']).status !== 0) {
    return [];
  }
  const own = [
    'mount -t tmpfs tmpfs /run && mkdir /run/sshd',
    '[ ! -e "$0" ] || mount --bind /dev/null "$0"',
    'exec "$@"',
  ].join('\n');
  return ['unshare', '--mount', 'sh', '-c', own, join(userInfo().homedir, '.bashrc')];
}

/** Another key pair's fingerprint: what a host that was swapped would show. */
export function otherFingerprint(dir: string): string {
  return fingerprintOf(`${makeKey(dir, 'other_key')}.pub`);
}

/** A key pair; the public half is beside it, with `.pub`. */
export function makeKey(
  dir: string,
  name: string,
  { type = 'ed25519', passphrase = '' }: { type?: string; passphrase?: string } = {},
): string {
  const path = join(dir, name);
  const made = spawnSync('ssh-keygen', ['-q', '-t', type, '-N', passphrase, '-f', path]);
  if (made.status !== 0) throw new Error(`ssh-keygen: ${made.stderr}`);
  return path;
}

export function fingerprintOf(publicKey: string): string {
  const { stdout } = spawnSync('ssh-keygen', ['-l', '-f', publicKey], { encoding: 'utf8' });
  return stdout.split(' ')[1] ?? '';
}

function sshdPath(): string {
  const found = ['/usr/sbin/sshd', '/usr/local/sbin/sshd', '/usr/bin/sshd'].find(existsSync);
  if (!found) throw new Error('no sshd: sudo apt-get install -y openssh-server');
  return found;
}

function listening(port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1' });
    socket.once('error', reject);
    socket.once('connect', () => {
      socket.destroy();
      resolve();
    });
  });
}

/** The sshd processes below it; the sessions' commands are left alone, as after a power cut of the line. */
function childrenOf(pid: number): number[] {
  const { stdout } = spawnSync('ps', ['-o', 'pid=,comm=', '--ppid', `${pid}`], {
    encoding: 'utf8',
  });
  return stdout
    .split('\n')
    .filter((line) => /sshd/.test(line))
    .map((line) => Number.parseInt(line, 10))
    .flatMap((child) => [child, ...childrenOf(child)]);
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}
