import { spawn } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findPip } from '../lab/services/pip.ts';
import { runTool } from '../lab/services/run-tool.ts';
import { type ExecWorld, HOSTS } from './exec-world.ts';

const WANTED = 'ansible-core==2.19.4';
const FOLDER = fileURLToPath(new URL('../.oikos', import.meta.url));

/** `ansible -m raw` on all hosts at once, its connections kept by ControlPersist. */
export interface Ansible {
  /** Answers milliseconds. */
  run(command: string): Promise<number>;
}

/** Installs Ansible into `.oikos/ansible` where it is missing; undefined, and why, where that fails. */
export async function ansibleFor(world: ExecWorld): Promise<Ansible | undefined> {
  const program = await installed();
  if (program === undefined) return undefined;
  const { dir, sshd } = world;
  const inventory = join(dir, 'inventory');
  const place = `ansible_host=127.0.0.1 ansible_port=${sshd.port} ansible_user=${sshd.user}`;
  writeFileSync(inventory, HOSTS.map((host) => `${host} ${place}\n`).join(''));
  const config = join(dir, 'ansible.cfg');
  writeFileSync(
    config,
    [
      '[defaults]',
      `forks = ${HOSTS.length}`,
      'host_key_checking = False',
      `private_key_file = ${sshd.keyFile}`,
      `local_tmp = ${join(dir, 'ansible-tmp')}`,
      '[ssh_connection]',
      'ssh_args = -F none -o ControlMaster=auto -o ControlPersist=60s -o UserKnownHostsFile=/dev/null',
      // All hosts are one address here: each needs a connection of its own, as it would have.
      `control_path = ${join(dir, 'a-%%n')}`,
      '',
    ].join('\n'),
  );
  const env = { ...process.env, ANSIBLE_CONFIG: config, HOME: dir };
  return {
    run(command) {
      const began = performance.now();
      const child = spawn(program, ['-i', inventory, 'all', '-m', 'raw', '-a', command], {
        env,
        stdio: ['ignore', 'ignore', 'inherit'],
      });
      return new Promise((resolve, reject) => {
        child.once('error', reject);
        child.once('close', (code) => {
          if (code === 0) resolve(performance.now() - began);
          else reject(new Error(`ansible ended with code ${code}`));
        });
      });
    },
  };
}

async function installed(): Promise<string | undefined> {
  const venv = join(FOLDER, 'ansible');
  const program = join(venv, 'bin', 'ansible');
  if (existsSync(program)) return program;
  console.log(`installing ${WANTED} into .oikos/ansible (once)`);
  const made = await runTool('python3', ['-m', 'venv', '--without-pip', venv]);
  const inVenv = join(venv, 'bin', 'python');
  const pip = await findPip({ python: 'python3', inVenv, env: process.env, cacheDir: FOLDER });
  if (made.ok && pip.ok) {
    const args = ['install', '--no-input', '--prefer-binary', WANTED];
    const done = await runTool(pip.pip.command, [...pip.pip.args, ...args]);
    if (done.ok) return program;
    console.log(done.output.trim().split('\n').at(-1));
  }
  await rm(venv, { recursive: true, force: true });
  return undefined;
}
