import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

const PLACES = ['/usr/sbin/sshd', '/usr/local/sbin/sshd', '/sbin/sshd', '/usr/lib/ssh/sshd'];

/** No OpenSSH server, and we may not install one. */
export class SshdMissing extends Error {
  override readonly name = 'SshdMissing';
}

export function findSshd(): string | undefined {
  return PLACES.find((path) => existsSync(path));
}

/**
 * The path of sshd. As root on Debian and its kin it is installed where missing; otherwise the
 * error names the one command to run.
 */
export function ensureSshd(): string {
  const found = findSshd() ?? install();
  if (found) return found;
  throw new SshdMissing(
    'The lab needs an OpenSSH server. Run: sudo apt-get install -y openssh-server (or your system’s package of that name)',
  );
}

function install(): string | undefined {
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) return undefined;
  console.error('Installing openssh-server …');
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const apt = (...args: string[]) =>
    spawnSync('apt-get', ['-q', '-y', ...args], { env, stdio: ['ignore', 2, 2] }).status === 0;
  if (!apt('install', '--no-install-recommends', 'openssh-server')) {
    apt('update');
    apt('install', '--no-install-recommends', 'openssh-server');
  }
  return findSshd();
}
