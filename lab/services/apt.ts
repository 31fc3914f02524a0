import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

/** Installs a Debian package; nothing happens without root or apt. */
export function aptInstall(name: string): void {
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) return;
  console.error(`Installing ${name} …`);
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const apt = (...args: string[]) =>
    spawnSync('apt-get', ['-q', '-y', ...args], { env, stdio: ['ignore', 2, 2] }).status === 0;
  if (!apt('install', '--no-install-recommends', name)) {
    apt('update');
    apt('install', '--no-install-recommends', name);
  }
}
