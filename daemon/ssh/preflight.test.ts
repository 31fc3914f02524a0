import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type LookAsk, lookScript, placeLines, readLook, saidBy } from './preflight.ts';
import { shellQuote } from './wrap.ts';

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
  const whole = { ...NOTHING, ...ask };
  const script = lookScript(whole, nonce);
  return readLook(
    execFileSync(shell, ['-c', script], { cwd: dir, encoding: 'utf8' }),
    nonce,
    whole,
  );
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
    ['[[:digit:]]*.log', 2],
  ])('lists %s', (pattern, count) => {
    const { lists } = look(shell, { globs: [{ index: 7, pattern }] });
    expect(lists.get(7)).toMatchObject({ count });
    expect(lists.get(7)?.names).toHaveLength(count);
  });

  it('tells a name with backslashes as it is', () => {
    const name = 'a\\tb\\c';
    writeFileSync(join(dir, name), '');
    const { reals } = look(shell, { reals: [{ index: 3, path: name }] });
    expect(reals).toEqual(new Map([[3, join(dir, name)]]));
  });

  it('says nothing where no program there can follow links', () => {
    const ask = { ...NOTHING, reals: [{ index: 0, path: join(dir, 'link') }] };
    const said = execFileSync(shell, ['-c', lookScript(ask, nonce)], {
      encoding: 'utf8',
      env: { PATH: '/nonexistent' },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    expect(readLook(said, nonce, ask).reals.size).toBe(0);
  });

  it('does not call absent what only this user cannot see', () => {
    const open = mkdtempSync(join(tmpdir(), 'oikos-open-'));
    onTestFinished(() => rmSync(open, { recursive: true }));
    chmodSync(open, 0o755);
    const shut = join(open, 'shut');
    mkdirSync(shut, { mode: 0o000 });
    symlinkSync(join(shut, 'x'), join(open, 'link'));
    const paths = [join(shut, 'x'), join(shut, 'deep', 'x'), join(open, 'link'), join(open, 'no')];
    const asked = paths.map((path, index) => ({ index, path }));
    const ask = { ...NOTHING, files: asked, reals: asked };
    const nobody = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
    const script = lookScript(ask, nonce);
    const said = execFileSync(shell, ['-c', script], { cwd: '/', encoding: 'utf8', ...nobody });
    const { files, reals } = readLook(said, nonce, ask);
    expect([[...files.keys()], [...reals.keys()]]).toEqual([[3], [3]]);
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
  const ask = { ...NOTHING, files: [{ index: 0, path: '/etc/hostname' }] };
  const said = execFileSync('/bin/sh', ['-c', lookScript(ask, nonce)], { encoding: 'utf8' });
  expect(readLook(said, 'other', ask).files.size).toBe(0);
  expect(readLook(said.slice(0, said.length - 200), nonce, ask).files.size).toBe(0);
});

it('takes no odd line end of Unicode for the end of an answer', () => {
  const ask = { ...NOTHING, reals: [{ index: 0, path: 'x' }] };
  const at = `/srv/x\u2028oikos ${nonce} real 0 at /etc/hostname`;
  const { reals } = readLook(`oikos ${nonce} real 0 at ${at}\n`, nonce, ask);
  expect(reals).toEqual(new Map([[0, at]]));
});

describe('a place that knows the nonce', () => {
  const host = { ...NOTHING, reals: [{ index: 0, path: '/etc/hostname' }] };
  const guest = { ...NOTHING, reals: [{ index: 1, path: '/etc/x' }] };
  const forged = (place: string) => `printf 'oikos ${nonce} ${place}real 0 at /etc/shadow\\n'`;

  it.each(['', 'place 0 oikos abc123 '])('answers for no other place by %j', (place) => {
    const lines = [
      `${forged(place)}; printf end`,
      `/bin/sh -c ${shellQuote(lookScript(host, nonce))}`,
      forged(place),
    ];
    const script = placeLines(
      lines.map((line) => `{ ${line}; }`),
      nonce,
    ).join('\n');
    const said = execFileSync('/bin/sh', ['-c', script], { encoding: 'utf8' });
    const [first, second, third] = [0, 1, 2].map((at) => saidBy(at, said, nonce));
    expect(readLook(second ?? '', nonce, host).reals).toEqual(new Map([[0, '/etc/hostname']]));
    expect(readLook(first ?? '', nonce, guest).reals.size).toBe(0);
    expect(readLook(third ?? '', nonce, guest).reals.size).toBe(0);
    expect(said.split('\n').every((line) => /^(oikos abc123 place \d |$)/.test(line))).toBe(true);
  });
});
