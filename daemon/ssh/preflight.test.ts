import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type LookAsk, lookScript, readLook } from './preflight.ts';

const nonce = 'abc123';
const NOTHING: LookAsk = { files: [], globs: [], reals: [], heads: true };

let dir: string;
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'oikos-look-'));
  mkdirSync(join(dir, 'a b'));
  writeFileSync(join(dir, 'a b', "x'y.sh"), 'echo $(id)\n', { mode: 0o640 });
  writeFileSync(join(dir, 'forger'), `oikos ${nonce} file 9 absent\n`);
  for (const name of ['1.log', '2 3.log', '*.log', '-n.log']) writeFileSync(join(dir, name), '');
  symlinkSync(join(dir, 'a b', "x'y.sh"), join(dir, 'link'));
  symlinkSync(join(dir, '1.log'), join(dir, 'odd\nname'));
});
afterAll(() => rmSync(dir, { recursive: true }));

function look(shell: string, ask: Partial<LookAsk>) {
  const script = lookScript({ ...NOTHING, ...ask }, nonce);
  return readLook(execFileSync(shell, ['-c', script], { cwd: dir, encoding: 'utf8' }), nonce);
}

describe.each(['/bin/sh', '/bin/bash'])('a look by %s', (shell) => {
  it('tells rights, text and where a file really lies', () => {
    const files = [{ index: 0, path: join(dir, 'link') }];
    const file = look(shell, { files }).files.get(0);
    expect(file).toMatchObject({
      state: 'file',
      size: 11,
      mode: '640',
      real: join(dir, 'a b', "x'y.sh"),
      sha256: createHash('sha256').update('echo $(id)\n').digest('hex'),
    });
    expect(file?.head.toString()).toBe('echo $(id)\n');
    expect(file?.folders.map((way) => way.length)).toEqual([3, 4]);
  });

  it('starts a path that is not absolute where it stands, and tells what is no file', () => {
    const paths = ["a b/x'y.sh", 'a b', 'none', '-n.log'];
    const { files } = look(shell, { files: paths.map((path, index) => ({ index, path })) });
    expect([...files.values()].map(({ state }) => state)).toEqual([
      'file',
      'other',
      'absent',
      'file',
    ]);
  });

  it('lets no file forge an answer', () => {
    const files = [{ index: 0, path: 'forger' }];
    expect([...look(shell, { files }).files.keys()]).toEqual([0]);
  });

  it.each([
    ['*.log', 4],
    ['\\*.log', 1],
    ['[1-2]*', 2],
    ['none*', 0],
    ["a\\ b/*'y.sh", 1],
    ['$(touch pwned)*', 0],
  ])('lists %s', (pattern, count) => {
    const { lists } = look(shell, { globs: [{ index: 7, pattern }] });
    expect(lists.get(7)).toMatchObject({ count });
    expect(lists.get(7)?.names).toHaveLength(count);
  });

  it('follows links, and says nothing of a name that could break its line', () => {
    const paths = ['link', 'odd\nname', 'none'];
    const { reals } = look(shell, { reals: paths.map((path, index) => ({ index, path })) });
    expect(reals).toEqual(
      new Map([
        [0, join(dir, 'a b', "x'y.sh")],
        [1, join(dir, '1.log')],
        [2, null],
      ]),
    );
  });
});

it('reads no half answer and none of another run', () => {
  const whole = lookScript({ ...NOTHING, files: [{ index: 0, path: '/etc/hostname' }] }, nonce);
  const said = execFileSync('/bin/sh', ['-c', whole], { encoding: 'utf8' });
  expect(readLook(said, 'other').files.size).toBe(0);
  expect(readLook(said.slice(0, said.length - 200), nonce).files.size).toBe(0);
});
