import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { cut, dir, house, killAll, lines, running, type Shell, until } from './local-runner.ts';

/** What holds for a detached run whatever the host's shell and programs are. */
export function describeRuns(shell: Shell): void {
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
    await until(() => lines(log) === 1 && fileOf(spool, 'group') !== '');
    process.kill(Number(readFileSync(join(spool, 'pid'), 'utf8').split(' ')[0]), 'SIGKILL');
    expect(await session.end).toMatchObject({ kind: 'lost', why: 'killed', stillRuns: true });
    expect(await attach().session.end).toMatchObject({ kind: 'lost', why: 'killed' });
    expect(lines(log)).toBe(1);
  });

  it('is no start any more when its go was held up on its way', async () => {
    const { start, spool } = house(shell);
    const { session } = start({ command: 'true', startSeconds: -1 });
    expect(await session.end).toMatchObject({
      kind: 'not_started',
      reason: expect.stringContaining('held up'),
    });
    expect(existsSync(spool)).toBe(false);
  });

  it('says nothing of a run whose spool a restart may have taken', async () => {
    const { attach, spool } = house(shell);
    const longAgo = { ageSeconds: 1e9 };
    expect(await attach(undefined, undefined, longAgo).session.end).toMatchObject({
      kind: 'lost',
      why: 'reboot',
    });
    expect(existsSync(spool)).toBe(false);
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
}

/** What it holds by now; nothing while it is not there. */
function fileOf(spool: string, name: string): string {
  const path = join(spool, name);
  return existsSync(path) ? readFileSync(path, 'utf8') : '';
}
