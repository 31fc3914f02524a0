import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { EventEmitter } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { ShellChannel } from '../ssh/transport.ts';
import { shellQuote } from '../ssh/wrap.ts';
import {
  attachScript,
  type Positions,
  type StartOptions,
  startScript,
  sweepScript,
} from './scripts.ts';
import { openSession, type Session } from './session.ts';

let dir: string;
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'oikos-runner-'));
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

interface Shell {
  readonly path: string;
  readonly args: readonly string[];
}

/** Every POSIX shell that there is here; a busybox brings its own programs. */
const SHELLS: readonly Shell[] = [
  { path: '/bin/dash', args: ['-s'] },
  { path: '/bin/bash', args: ['--posix', '-s'] },
  { path: process.env['BUSYBOX'] ?? '/bin/busybox', args: ['sh', '-s'] },
].filter(({ path }) => existsSync(path));

function shellChannel({
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
      'kill',
    ])
      symlinkSync(path, join(bin, name));
  }
  return { PATH: bin };
}

interface Heard {
  stdout: string;
  stderr: string;
  readonly order: string[];
  readonly at: { stdout: number; stderr: number };
}

function newHeard(): Heard {
  return { stdout: '', stderr: '', order: [], at: { stdout: 0, stderr: 0 } };
}

function open(
  shell: Shell,
  script: (nonce: string) => string,
  heard: Heard,
  attached: boolean,
): Session & { child: ChildProcessWithoutNullStreams } {
  const nonce = randomUUID();
  const channel = shellChannel(shell);
  const session = openSession(channel, {
    script: script(nonce),
    nonce,
    greetingMs: 5_000,
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

function spoolBase() {
  const path = join(dir, `base-${randomUUID()}`);
  return { path, needKb: 1 };
}

type Wish = Partial<Omit<StartOptions, 'nonce'>> & { command: string };

/** A run of `command` under `shell`, with a spool of its own. */
function house(shell: Shell, base = spoolBase()) {
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
      );
      return { session, heard };
    },
    attach(from: Positions = { stdout: 0, stderr: 0 }, heard = newHeard()) {
      const session = open(
        shell,
        (nonce) => attachScript({ nonce, id, bases: [base], from }),
        heard,
        true,
      );
      return { session, heard };
    },
  };
}

async function until(claim: () => boolean, patienceMs = 8_000): Promise<void> {
  const deadline = performance.now() + patienceMs;
  while (!claim()) {
    if (performance.now() > deadline) throw new Error(`not in time: ${claim}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

const lines = (path: string) =>
  existsSync(path) ? readFileSync(path, 'utf8').trim().split('\n').length : 0;

describe.each(SHELLS)('a detached run by $path', (shell) => {
  it('answers exit code and both streams, and is cleaned', async () => {
    const { start, spool } = house(shell);
    const { session, heard } = start({ command: 'echo out; echo oops >&2; exit 7' });
    expect(await session.end).toMatchObject({
      kind: 'ended',
      end: { code: 7, stopped: undefined, agoSeconds: 0, bytes: { stdout: 4, stderr: 5 } },
    });
    expect(heard).toMatchObject({ stdout: 'out\n', stderr: 'oops\n' });
    expect(existsSync(spool)).toBe(true);
    expect(await session.clean()).toBe(true);
    expect(existsSync(spool)).toBe(false);
  });

  it('keeps the order of both streams', async () => {
    const { start } = house(shell);
    const { session, heard } = start({
      command: 'for n in 1 2 3; do echo $n; sleep 0.1; echo e$n >&2; sleep 0.1; done',
    });
    await session.end;
    expect(heard.order).toEqual(['o:1\n', 'e:e1\n', 'o:2\n', 'e:e2\n', 'o:3\n', 'e:e3\n']);
  });

  it('tells what is printed while it runs', async () => {
    const { start } = house(shell);
    const { session, heard } = start({ command: 'echo first; sleep 1; echo last' });
    await until(() => heard.stdout === 'first\n', 900);
    await session.end;
    expect(heard.stdout).toBe('first\nlast\n');
  });

  it('survives its channel and is followed on from where we were', async () => {
    const { start, attach } = house(shell);
    const log = join(dir, `survives-${randomUUID()}`);
    const { session, heard } = start({
      command: `echo begun; echo ran >> ${log}; sleep 1; echo end; exit 3`,
    });
    await until(() => heard.stdout === 'begun\n');
    cut(session.child);
    expect(await session.end).toEqual({ kind: 'broken', mayRun: true });
    const again = attach(heard.at, heard);
    expect(await again.session.end).toMatchObject({ kind: 'ended', end: { code: 3 } });
    expect(heard.stdout).toBe('begun\nend\n');
    expect(lines(log)).toBe(1);
    const later = attach();
    expect(await later.session.end).toMatchObject({ kind: 'ended', end: { code: 3 } });
    expect(later.heard.stdout).toBe('begun\nend\n');
  });

  it('never starts twice, however many try', async () => {
    const { start } = house(shell);
    const log = join(dir, `once-${randomUUID()}`);
    const tries = Array.from({ length: 12 }, () => start({ command: `echo ran >> ${log}` }));
    const ends = await Promise.all(tries.map(({ session }) => session.end));
    expect(ends.map(({ kind }) => kind).sort()).toEqual([
      'ended',
      ...Array.from({ length: 11 }, () => 'exists'),
    ]);
    expect(lines(log)).toBe(1);
  });

  it('what was looked for and not found never starts later', async () => {
    const { start, attach } = house(shell);
    const log = join(dir, `never-${randomUUID()}`);
    expect(await attach().session.end).toEqual({ kind: 'absent' });
    expect(await start({ command: `echo ran >> ${log}` }).session.end).toEqual({ kind: 'exists' });
    expect(await attach().session.end).toEqual({ kind: 'absent' });
    expect(lines(log)).toBe(0);
  });

  it('ends at its time limit, also what ignores TERM or has a session of its own', async () => {
    const { start } = house(shell);
    const marker = `61${Math.floor(Math.random() * 1e6)}`;
    const { session } = start({
      command: `sleep ${marker} & (trap '' TERM; sleep ${marker}; sleep ${marker}) & setsid sleep ${marker} & wait`,
      limitMs: 1_000,
    });
    expect(await session.end).toMatchObject({ kind: 'ended', end: { stopped: 'limit' } });
    expect(running(marker)).toBe(0);
  });

  it('ends at its time limit with nobody there', async () => {
    const { start, attach, spool } = house(shell);
    const { session } = start({ command: 'sleep 30', limitMs: 1_000 });
    await until(() => existsSync(join(spool, 'group')));
    cut(session.child);
    await until(() => existsSync(join(spool, 'exit')));
    expect(await attach().session.end).toMatchObject({ kind: 'ended', end: { stopped: 'limit' } });
  });

  it('stops when asked, and what it had printed is there', async () => {
    const { start } = house(shell);
    const { session, heard } = start({ command: 'echo begun; sleep 30' });
    await until(() => heard.stdout !== '');
    const asked = performance.now();
    session.stop();
    expect(await session.end).toMatchObject({ end: { code: 143, stopped: 'cancel' } });
    expect(performance.now() - asked).toBeLessThan(1_000);
    expect(heard.stdout).toBe('begun\n');
  });

  it('output cannot forge a frame', async () => {
    const { start, id } = house(shell);
    const command = `ps ax 2>/dev/null; for n in 1 2; do printf 'oikos ${id} end 0 none 0 0 0\\n'; done; exit 9`;
    const { session } = start({ command });
    expect(await session.end).toMatchObject({ kind: 'ended', end: { code: 9 } });
  });

  it('keeps the head and the tail of much, and drains the rest', async () => {
    const { start } = house(shell);
    const { session, heard } = start({
      command: `printf first; yes 0123456789abcde | head -c 6000000; printf last`,
      kept: { head: 100_000, tail: 200_000 },
    });
    expect(await session.end).toMatchObject({ end: { code: 0, bytes: { stdout: 6_000_009 } } });
    const [, head = '', gap = '', tail = ''] = /^([^[]*)\[(\d+)\]([^[]*)$/.exec(heard.stdout) ?? [];
    expect(head.slice(0, 5)).toBe('first');
    expect(tail.slice(-4)).toBe('last');
    expect(tail.length).toBe(200_000);
    expect(head.length).toBeGreaterThanOrEqual(100_000);
    expect(head.length + Number(gap) + tail.length).toBe(6_000_009);
  });

  it('a child that keeps the output delays the end by 2 s at most', async () => {
    const { start } = house(shell);
    const marker = `62${Math.floor(Math.random() * 1e6)}`;
    const asked = performance.now();
    const { session, heard } = start({ command: `sleep ${marker} & echo started` });
    expect(await session.end).toMatchObject({ end: { code: 0 } });
    expect(performance.now() - asked).toBeLessThan(3_500);
    expect(heard.stdout).toBe('started\n');
    killAll(marker);
  });

  it('a runner killed without a word is lost, and is not run again', async () => {
    const { start, attach, spool } = house(shell);
    const log = join(dir, `killed-${randomUUID()}`);
    const { session } = start({ command: `echo ran >> ${log}; sleep 5` });
    await until(() => lines(log) === 1 && existsSync(join(spool, 'group')));
    process.kill(Number(readFileSync(join(spool, 'pid'), 'utf8').split(' ')[0]), 'SIGKILL');
    expect(await session.end).toMatchObject({ kind: 'lost', why: 'killed', stillRuns: true });
    expect(await attach().session.end).toMatchObject({ kind: 'lost', why: 'killed' });
    expect(lines(log)).toBe(1);
  });

  it('leaves no process behind', async () => {
    const { start, spool, id } = house(shell);
    const { session } = start({ command: 'true', limitMs: 61_000 });
    await session.end;
    await session.clean();
    session.close();
    expect(existsSync(spool)).toBe(false);
    await until(() => running(id) === 0);
  });
});

describe('what runs left behind', () => {
  const shell = SHELLS[0];
  if (!shell) throw new Error('no shell');

  it('is taken away after a week, but for what still runs', async () => {
    const base = spoolBase();
    const [done, fresh, live] = [house(shell, base), house(shell, base), house(shell, base)];
    await done.start({ command: 'true' }).session.end;
    await fresh.start({ command: 'true' }).session.end;
    const running = live.start({ command: 'echo begun; sleep 30' });
    await until(() => running.heard.stdout !== '');
    const weekAgo = Date.now() / 1_000 - 8 * 24 * 3_600;
    for (const { spool } of [done, live]) utimesSync(spool, weekAgo, weekAgo);
    const nonce = randomUUID();
    const channel = shellChannel(shell);
    const session = openSession(channel, {
      script: sweepScript({ nonce, bases: [base] }),
      nonce,
      greetingMs: 5_000,
      attached: false,
      onData: () => undefined,
    });
    expect(await session.end).toEqual({ kind: 'swept' });
    expect([done, fresh, live].map(({ spool }) => existsSync(spool))).toEqual([false, true, true]);
    running.session.stop();
    await running.session.end;
  });
});

describe('the folder for runs', () => {
  const shell = SHELLS[0];
  if (!shell) throw new Error('no shell');

  it('is not used through a link', async () => {
    const { start, base } = house(shell);
    const real = `${base.path}-real`;
    mkdirSync(real, { mode: 0o700 });
    symlinkSync(real, base.path);
    expect(await start({ command: 'true' }).session.end).toMatchObject({
      kind: 'not_started',
      reason: expect.stringContaining('cannot be trusted'),
    });
  });

  it('is not used when others may enter it', async () => {
    const { start, base } = house(shell);
    mkdirSync(base.path);
    chmodSync(base.path, 0o755);
    expect(await start({ command: 'true' }).session.end).toMatchObject({ kind: 'not_started' });
  });

  it('is left for the next one when it has no space', async () => {
    const { start, base, spool } = house(shell);
    const full = { ...spoolBase(), needKb: 1e12 };
    const { session } = start({ command: 'true', bases: [full, base] });
    expect(await session.end).toMatchObject({ kind: 'ended', end: { code: 0 } });
    expect(existsSync(spool)).toBe(true);
  });

  it('is refused when there is no space at all', async () => {
    const { start } = house(shell);
    const full = { ...spoolBase(), needKb: 1e12 };
    expect(await start({ command: 'true', bases: [full] }).session.end).toMatchObject({
      kind: 'not_started',
      reason: expect.stringContaining('no space'),
    });
  });
});

/** The connection's processes are gone, as when its sshd is killed. */
function cut({ pid }: ChildProcessWithoutNullStreams): void {
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

function running(marker: string): number {
  return pidsOf(marker).length;
}

function killAll(marker: string): void {
  for (const pid of pidsOf(marker)) process.kill(pid, 'SIGKILL');
}
