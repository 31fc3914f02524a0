/** The lab host's sshd: a real one, run as the lab's owner on the stage. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { runCommand } from './command.ts';
import { LabHostStartError, SshServerMissing } from './errors.ts';
import type { Layout } from './layout.ts';
import { type Confinement, labEnvironment, stageWords } from './namespace.ts';
import type { LabOwner } from './owner.ts';
import { familyOf } from './processes.ts';
import { sshdConfig } from './sshd-config.ts';

const PLACES = ['/usr/sbin/sshd', '/usr/local/sbin/sshd', '/sbin/sshd', '/usr/bin/sshd'];

export interface Sshd {
  /** Ends the listener and all of its connections. */
  stop(): Promise<void>;
}

/** Its full path: sshd starts itself again for every connection. */
export function findSshd(exists: (path: string) => boolean = existsSync): string {
  const path = PLACES.find(exists);
  if (path === undefined) throw new SshServerMissing();
  return path;
}

export async function startSshd(
  layout: Layout,
  owner: LabOwner,
  confinement: Confinement,
  { port, obeysSignals }: { port: number; obeysSignals: boolean },
): Promise<Sshd> {
  const sshd = findSshd();
  const folder = `${layout.stage}/control`;
  const { stderr: version } = await runCommand(sshd, ['-V']);
  writeFileSync(
    `${layout.control}/sshd_config`,
    sshdConfig({ port, folder, version, obeysSignals }),
  );
  const [program = '', ...args] = [
    ...stageWords(confinement, owner),
    // Without its parent nobody would end it.
    'setpriv',
    '--pdeathsig=KILL',
    '--',
    sshd,
    '-D',
    '-e',
    '-f',
    `${folder}/sshd_config`,
  ];
  const child = spawn(program, args, {
    cwd: '/',
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe'],
    env: labEnvironment(layout),
  });
  const said: string[] = [];
  createInterface({ input: child.stderr }).on('line', (line) => {
    said.push(line);
    if (said.length > 20) said.shift();
  });
  await listening(child, port, said);
  return { stop: () => stopFamily(child) };
}

async function listening(child: ChildProcess, port: number, said: string[]): Promise<void> {
  const deadline = Date.now() + 5000;
  while (!(await answers(port))) {
    if (child.exitCode !== null || Date.now() > deadline) {
      throw new LabHostStartError('sshd does not listen', said.slice(-3).join(' / '));
    }
    await sleep(15);
  }
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port });
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}

/** The connections' processes live in sessions of their own: they are found as descendants. */
async function stopFamily(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const family = familyOf(child.pid);
  const ended = once(child, 'exit');
  for (const pid of family) killIfThere(pid);
  await ended;
}

function killIfThere(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}
