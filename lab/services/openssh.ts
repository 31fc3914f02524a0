import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { findSshd } from '../host/sshd.ts';

/**
 * The path of sshd. As root on Debian and its kin it is installed where missing; otherwise the
 * error names the one command to run.
 */
export function ensureSshd(): string {
  try {
    return findSshd();
  } catch {
    install();
    return findSshd();
  }
}

function install(): void {
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) return;
  console.error('Installing openssh-server …');
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const apt = (...args: string[]) =>
    spawnSync('apt-get', ['-q', '-y', ...args], { env, stdio: ['ignore', 2, 2] }).status === 0;
  if (!apt('install', '--no-install-recommends', 'openssh-server')) {
    apt('update');
    apt('install', '--no-install-recommends', 'openssh-server');
  }
}
