import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { EventEmitter } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import {
  attachScript,
  type Positions,
  type StartOptions,
  startScript,
} from '../../daemon/runner/scripts.ts';
import { openSession, type Session } from '../../daemon/runner/session.ts';
import type { Preflight, ShellChannel } from '../../daemon/ssh/transport.ts';
import { shellQuote } from '../../daemon/ssh/wrap.ts';
import { findBusybox } from '../../lab/services/busybox.ts';

/** Where these runs keep everything; whoever uses it takes it away. */
export const dir = mkdtempSync(join(tmpdir(), 'oikos-runner-'));

export interface Shell {
  readonly path: string;
  readonly args: readonly string[];
}

/** The shells that a host's /bin/sh may be. A busybox brings its own programs. */
export const SHELLS = {
  dash: { path: '/bin/dash', args: ['-s'] },
  bash: { path: '/bin/bash', args: ['--posix', '-s'] },
  busybox: { path: findBusybox() ?? 'busybox', args: ['sh', '-s'] },
} as const satisfies Readonly<Record<string, Shell>>;

export function shellChannel({
  path,
  args,
}: Shell): ShellChannel & { child: ChildProcessWithoutNullStreams } {
  const child = spawn(path, args, { detached: true, env: environmentOf(path) });
  child.stdin.on('error', () => undefined);
  const events = new EventEmitter();
  child.stdout.on('data', (chunk) => events.emit('data', chunk));
  child.on('close', () => events.emit('close'));
  const close = () => {
    child.stdin.end();
  };
  onTestFinished(close);
  return Object.assign(events, {
    child,
    stderr: child.stderr,
    destroyed: false,
    write: (text: string) => child.stdin.write(text),
    close,
  });
}

/** For a busybox: its programs alone. */
function environmentOf(path: string): NodeJS.ProcessEnv {
  if (!path.endsWith('busybox')) return { PATH: process.env['PATH'] };
  const bin = join(dir, 'busybox-bin');
  if (!existsSync(bin)) {
    mkdirSync(bin);
    const list = ['sh', 'dd', 'awk', 'cat', 'wc', 'mkfifo', 'setsid', 'sleep', 'mv', 'rm', 'mkdir'];
    for (const name of [
      ...list,
      'ls',
      'df',
      'head',
      'tail',
      'find',
      'env',
      'seq',
      'yes',
      'tr',
      'sed',
      'kill',
      'sync',
      'unshare',
      'mount',
    ])
      symlinkSync(path, join(bin, name));
  }
  return { PATH: bin };
}

export interface Heard {
  stdout: string;
  stderr: string;
  readonly order: string[];
  readonly at: { stdout: number; stderr: number };
}

function newHeard(): Heard {
  return { stdout: '', stderr: '', order: [], at: { stdout: 0, stderr: 0 } };
}

interface Looking {
  readonly preflight?: Preflight;
  readonly greetingMs?: number;
}

function open(
  shell: Shell,
  script: (nonce: string) => string,
  heard: Heard,
  attached: boolean,
  looking: Looking = {},
): Session & { child: ChildProcessWithoutNullStreams } {
  const nonce = randomUUID();
  const channel = shellChannel(shell);
  const session = openSession(channel, {
    script: script(nonce),
    nonce,
    greetingMs: looking.greetingMs ?? 5_000,
    judge: looking.preflight?.judge,
    attached,
    onData(stream, at, bytes) {
      heard[stream] += at > heard.at[stream] ? `[${at - heard.at[stream]}]` : '';
      heard[stream] += bytes.toString('latin1');
      heard.at[stream] = at + bytes.length;
      heard.order.push(`${stream === 'stdout' ? 'o' : 'e'}:${bytes.toString('latin1')}`);
    },
  });
  return Object.assign(session, { child: channel.child });
}

export function spoolBase() {
  const path = join(dir, `base-${randomUUID()}`);
  return { path, needKb: 1 };
}

type Wish = Partial<Omit<StartOptions, 'nonce' | 'preflight'>> & Looking & { command: string };

/** A run of `command` under `shell`, with a spool of its own. */
export function house(shell: Shell, base = spoolBase()) {
  const id = randomUUID();
  const spool = join(base.path, id);
  return {
    base,
    id,
    spool,
    start({ command, ...more }: Wish, heard = newHeard()) {
      const session = open(
        shell,
        (nonce) =>
          startScript({
            nonce,
            id,
            bases: [base],
            line: `sh -c ${shellQuote(command)}`,
            needs: ['sh'],
            limitMs: 20_000,
            killAfterMs: 1_000,
            ...more,
          }),
        heard,
        false,
        more,
      );
      return { session, heard };
    },
    attach(
      from: Positions = { stdout: 0, stderr: 0 },
      heard = newHeard(),
      { ageSeconds = 0 } = {},
    ) {
      const session = open(
        shell,
        (nonce) => attachScript({ nonce, id, bases: [base], from, ageSeconds }),
        heard,
        true,
      );
      return { session, heard };
    },
  };
}

export async function until(claim: () => boolean, patienceMs = 8_000): Promise<void> {
  const deadline = performance.now() + patienceMs;
  while (!claim()) {
    if (performance.now() > deadline) throw new Error(`not in time: ${claim}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

export const lines = (path: string) =>
  existsSync(path) ? readFileSync(path, 'utf8').trim().split('\n').length : 0;

/** The connection's processes are gone, as when its sshd is killed. */
export function cut({ pid }: ChildProcessWithoutNullStreams): void {
  if (pid !== undefined) process.kill(-pid, 'SIGKILL');
}

/** Live processes with that text in their command line. */
function pidsOf(marker: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(marker);
      } catch {
        return false;
      }
    })
    .map(Number);
}

export function running(marker: string): number {
  return pidsOf(marker).length;
}

export function killAll(marker: string): void {
  for (const pid of pidsOf(marker)) process.kill(pid, 'SIGKILL');
}
