import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import {
  cut,
  dir,
  house,
  SHELLS,
  type Shell,
  shellChannel,
  spoolBase,
  until,
} from '../../test/support/local-runner.ts';
import { describeRuns } from '../../test/support/runner-cases.ts';
import type { HostSlot } from '../ssh/transport.ts';
import { runDurably } from './follow.ts';
import { sweepScript } from './scripts.ts';
import { openSession } from './session.ts';

afterAll(() => rmSync(dir, { recursive: true, force: true }));

describe('a detached run by dash', () => describeRuns(SHELLS.dash));

describe('what runs left behind', () => {
  const shell = SHELLS.dash;

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

it('a run whose channel broke after its end sends nothing again when it is cleaned', async () => {
  const { base, id, spool } = house(SHELLS.dash);
  const sent: number[] = [];
  const children: ReturnType<typeof shellChannel>['child'][] = [];
  const open: HostSlot['open'] = async () => {
    const channel = shellChannel(SHELLS.dash);
    const at = sent.push(0) - 1;
    channel.on('data', (chunk) => {
      sent[at] = (sent[at] ?? 0) + chunk.length;
    });
    children.push(channel.child);
    return { ok: true, channel };
  };
  const followed = await runDurably(
    { open, greetingMs: 5_000 },
    {
      id,
      bases: [base],
      line: "sh -c 'head -c 1000000 /dev/zero'",
      needs: ['sh'],
      limitMs: 20_000,
      killAfterMs: 1_000,
      stop: new AbortController().signal,
      onOutput: () => undefined,
      onGap: () => undefined,
      onLife: () => undefined,
      ageSeconds: () => 0,
      onUnreachable: async () => true,
    },
    'start',
  );
  for (const child of children) cut(child);
  await followed.clean();
  expect(existsSync(spool)).toBe(false);
  expect(sent).toHaveLength(2);
  expect(sent[0]).toBeGreaterThan(1_000_000);
  expect(sent[1]).toBeLessThan(10_000);
});

describe('the folder for runs', () => {
  const shell = SHELLS.dash;

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

// Mounts need a namespace: root's own, else one in which we are root, where that is allowed.
const NAMESPACE = process.getuid?.() === 0 ? ['--mount'] : ['--user', '--map-root-user', '--mount'];
const canMount =
  spawnSync('unshare', [...NAMESPACE, 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt']).status === 0;

/** A shell that sees a small file system at the place of the spools; `first` runs before it. */
function shellOn(path: string, size: string, first: string): Shell {
  mkdirSync(path, { mode: 0o700 });
  const script = `mount -t tmpfs -o mode=700,${size} tmpfs ${path} && ${first} && exec dash -s`;
  return { path: 'unshare', args: [...NAMESPACE, 'sh', '-c', script] };
}

const FULL = (path: string) => `{ head -c 1M /dev/zero > ${path}/other 2>/dev/null; true; }`;
const shortages = !canMount
  ? []
  : ([
      ['no inode for the spool', 'nr_inodes=1', () => 'true'],
      ['an inode for a part of the spool', 'nr_inodes=5', () => 'true'],
      ['not a byte left', 'size=64k,nr_inodes=100', FULL],
    ] as const);

describe.each(shortages)('where there is %s', (_claim, size, first) => {
  function setup() {
    const base = { ...spoolBase(), needKb: 0 };
    const shell = shellOn(base.path, size, first(base.path));
    const mark = join(dir, `mark-${randomUUID()}`);
    return { mark, ...house(shell, base) };
  }

  it('nothing starts, and that is said', async () => {
    const { start, mark } = setup();
    const { session } = start({ command: `echo > ${mark}` });
    expect(await session.end).toMatchObject({
      kind: 'not_started',
      reason: expect.stringContaining('no space'),
    });
    expect(existsSync(mark)).toBe(false);
  });

  it('the next folder is taken', async () => {
    const { start, mark, base, id } = setup();
    const next = spoolBase();
    const { session } = start({ command: `echo > ${mark}`, bases: [base, next] });
    expect(await session.end).toMatchObject({ kind: 'ended', end: { code: 0 } });
    expect([existsSync(mark), existsSync(join(next.path, id))]).toEqual([true, true]);
  });
});

it.each(canMount ? ['size=200k,nr_inodes=100', 'nr_inodes=14'] : [])(
  'what cannot be kept any more (%s) is read all the same, and the end is known',
  async (size) => {
    const base = { ...spoolBase(), needKb: 0 };
    const { start } = house(shellOn(base.path, size, 'true'), base);
    const { session, heard } = start({
      command: 'echo first; yes | head -c 2000000; exit 3',
      kept: { head: 1_000_000, tail: 500_000 },
    });
    expect(await session.end).toMatchObject({ kind: 'ended', end: { code: 3 } });
    expect(heard.stdout).toMatch(/^first\ny\n/);
  },
);

it.each(canMount ? ['nr_inodes=11'] : [])(
  'a run that cannot leave its mark (%s) never begins, and that is said',
  async (size) => {
    const base = { ...spoolBase(), needKb: 0 };
    const { start } = house(shellOn(base.path, size, 'true'), base);
    const mark = join(dir, `mark-${randomUUID()}`);
    const { session } = start({ command: `echo > ${mark}` });
    expect(await session.end).toMatchObject({
      kind: 'not_started',
      reason: expect.stringContaining('no space'),
    });
    expect(existsSync(mark)).toBe(false);
  },
);

it('the program beside a command does not begin what was buried', () => {
  const spool = join(dir, `buried-${randomUUID()}`);
  const mark = join(dir, `mark-${randomUUID()}`);
  mkdirSync(spool);
  writeFileSync(join(spool, 'cmd'), `echo > ${mark}\n`);
  writeFileSync(join(spool, 'pid'), 'none\n');
  spawnSync(
    'mkfifo',
    ['o', 'e', 'ctl'].map((name) => join(spool, name)),
  );
  const program = fileURLToPath(new URL('./detached.sh', import.meta.url));
  const ran = spawnSync('sh', [program, spool, '5', '1', '1000', '1000'], { timeout: 10_000 });
  expect([ran.signal, existsSync(mark)]).toEqual([null, false]);
});
