import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { goLine, readFrame, readStart, supervisorScript } from './supervise.ts';
import { shellQuote } from './wrap.ts';

const nonce = 'abc123';

type Look = { readonly lines: readonly string[]; readonly twice: boolean };

function start(command: string, endWithConnection = false, shell = '/bin/sh', look?: Look) {
  const script = supervisorScript({
    nonce,
    line: `/bin/sh -c ${shellQuote(command)}`,
    needs: ['setsid'],
    endWithConnection,
    lingerSeconds: 8,
    ...(look && { look }),
  });
  const child = spawn(shell, ['-s']);
  child.stdin.write(script);
  return child;
}

async function until(child: ChildProcessWithoutNullStreams, seen: RegExp): Promise<string> {
  let text = '';
  for await (const [chunk] of on(child)) {
    text += chunk;
    if (seen.test(text)) return text;
  }
  throw new Error(`ended after: ${text}`);
}

async function* on(child: ChildProcessWithoutNullStreams): AsyncGenerator<[string]> {
  while (true) yield [String((await once(child.stdout, 'data'))[0])];
}

function groupLives(pid: number): boolean {
  try {
    process.kill(-pid, 0);
    return true;
  } catch {
    return false;
  }
}

describe('the supervisor', () => {
  it('passes the exit code on', async () => {
    const child = start('exit 7');
    await until(child, /ready/);
    child.stdin.write(goLine(nonce));
    expect((await once(child, 'exit'))[0]).toBe(7);
  });

  it('starts nothing without go', async () => {
    const child = start('echo ran');
    let text = await until(child, /ready\n/);
    child.stdout.on('data', (chunk) => {
      text += chunk;
    });
    child.stdin.end();
    await once(child, 'close');
    expect(text).toBe(`oikos ${nonce} ready\n`);
  });

  it('gives the command an empty stdin', async () => {
    const child = start('cat; echo done');
    await until(child, /ready/);
    child.stdin.write(goLine(nonce));
    await until(child, /done/);
    expect((await once(child, 'exit'))[0]).toBe(0);
  });

  it('ends a child that ignores TERM, and answers only when the group is gone', async () => {
    const child = start('echo pid $$; sh -c "trap : TERM; while :; do sleep 1; done" & wait');
    await until(child, /ready/);
    child.stdin.write(goLine(nonce));
    const pid = Number(/pid (\d+)/.exec(await until(child, /pid \d+\n/))?.[1]);
    expect(groupLives(pid)).toBe(true);
    child.stdin.write('term\n');
    setTimeout(() => child.stdin.write('kill\n'), 300);
    expect((await once(child, 'exit'))[0]).toBe(143);
    expect(groupLives(pid)).toBe(false);
  });

  it.each(['/bin/sh', '/bin/bash'])(
    'says of every stopped command how it ended: %s',
    async (shell) => {
      const codes = Array.from({ length: 24 }, async () => {
        const child = start('echo begun; sleep 60', false, shell);
        await until(child, /ready/);
        child.stdin.write(goLine(nonce));
        await until(child, /begun/);
        child.stdin.write('term\n');
        return (await once(child, 'exit'))[0];
      });
      expect(await Promise.all(codes)).toEqual(codes.map(() => 143));
    },
  );

  it('ends a harmless command with its connection', async () => {
    const child = start('echo pid $$; sleep 60', true);
    await until(child, /ready/);
    child.stdin.write(goLine(nonce));
    const pid = Number(/pid (\d+)/.exec(await until(child, /pid \d+\n/))?.[1]);
    child.stdin.end();
    await once(child, 'exit');
    expect(groupLives(pid)).toBe(false);
  });
});

describe('a look before the start', () => {
  const looking = (twice: boolean) => {
    const dir = mkdtempSync(join(tmpdir(), 'oikos-look-'));
    onTestFinished(() => rmSync(dir, { recursive: true }));
    const file = join(dir, 'file');
    writeFileSync(file, 'first');
    const lines = [`echo "oikos ${nonce} saw $(cat ${file})"`];
    return { file, child: start('echo begun', false, '/bin/sh', { lines, twice }) };
  };

  it('comes before ready, and says started once the command may begin', async () => {
    const { child } = looking(true);
    const greeting = await until(child, /ready\n/);
    expect(greeting).toBe(`oikos ${nonce} saw first\noikos ${nonce} ready\n`);
    child.stdin.write(goLine(nonce));
    expect(await until(child, /begun/)).toBe(`oikos ${nonce} started\nbegun\n`);
  });

  it('is taken again after go: what changed in between starts nothing', async () => {
    const { child, file } = looking(true);
    await until(child, /ready\n/);
    writeFileSync(file, 'other');
    let said = '';
    child.stdout.on('data', (chunk) => {
      said += chunk;
    });
    child.stdin.write(goLine(nonce));
    expect((await once(child, 'close'))[0]).toBe(125);
    expect(said).toBe(`oikos ${nonce} changed\n`);
  });
});

describe('readStart', () => {
  it.each([
    ['nothing yet', `oikos ${nonce} sta`, { kind: 'none' }],
    ['a start with output', `oikos ${nonce} started\nout`, { kind: 'started', rest: 'out' }],
    ['a change', `oikos ${nonce} changed\n`, { kind: 'changed' }],
    ['output that came first', `x\noikos ${nonce} changed\n`, { kind: 'none' }],
  ])('reads %s', (_claim, text, start) => {
    expect(readStart(text, nonce)).toEqual(start);
  });
});

describe('readFrame', () => {
  it.each([
    ['nothing yet', 'Welcome to strong\n', { kind: 'none' }],
    ['ready after a banner', `Welcome\noikos ${nonce} ready\n`, { kind: 'ready' }],
    ['half a line', `oikos ${nonce} rea`, { kind: 'none' }],
    ['the frame of another run', 'oikos fff ready\n', { kind: 'none' }],
    ['a frame within a line', `x oikos ${nonce} ready\n`, { kind: 'none' }],
    [
      'a missing program',
      `oikos ${nonce} missing setsid\n`,
      { kind: 'missing', program: 'setsid' },
    ],
  ])('reads %s', (_claim, text, frame) => {
    expect(readFrame(text, nonce)).toEqual(frame);
  });
});
