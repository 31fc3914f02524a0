import { randomUUID } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import {
  cut,
  dir,
  house,
  killAll,
  lines,
  running,
  SHELLS,
  shellChannel,
  spoolBase,
  until,
} from '../../test/support/local-runner.ts';
import { sweepScript } from './scripts.ts';
import { openSession } from './session.ts';

afterAll(() => rmSync(dir, { recursive: true, force: true }));

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

  it.each([
    ['itself', ''],
    ['on the way to it', '/runs'],
  ])('is not used through a link %s', async (_claim, below) => {
    const link = spoolBase().path;
    mkdirSync(`${link}-real`, { mode: 0o700 });
    symlinkSync(`${link}-real`, link);
    const { start } = house(shell, { path: `${link}${below}`, needKb: 1 });
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
