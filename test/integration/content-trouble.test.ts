import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { until } from '../../lab/services/until.ts';
import { changeGateSetting } from '../../shared/db/gate-settings.ts';
import { stopTask } from '../../shared/stop.ts';
import { pidsWith } from '../support/daemon-world.ts';
import { OPERATOR } from '../support/house.ts';
import { proposing } from '../support/proposing.ts';
import { testSeals } from '../support/seals.ts';
import { sshdForTests } from '../support/sshd-for-tests.ts';

const host = sshdForTests('content-trouble');

const MARK = 'ran';
function script(name: string): string {
  const path = join(host.files, name);
  writeFileSync(path, `echo x >> ${join(host.files, MARK)}\n`, { mode: 0o644 });
  return path;
}
const quoted = (path: string) => `'${path.replaceAll("'", "'\\''")}'`;

const NAMES = [
  'a b',
  "it's",
  'say "hi"',
  'line\nbreak',
  'end\n',
  '-n',
  'back\\slash\\n',
  'äöü 𝛑',
  '$(touch pwned)',
  'x\u2028y',
];

describe('a script', () => {
  it('of any name runs as it was looked at, and not when it changed', async () => {
    const { ask, yes, run, home } = await proposing(host);
    const paths = NAMES.map(script);
    const all = paths.map((path) => `bash ${quoted(path)}`).join('; ');
    const id = await yes(await ask(all));
    expect((await home.row(id)).facts?.files.map(({ found }) => found?.real)).toEqual(paths);
    expect(await run(id)).toMatchObject({ status: 'completed', exitCode: 0 });
    expect(readFileSync(join(host.files, MARK), 'utf8')).toBe('x\n'.repeat(NAMES.length));
    rmSync(join(host.files, MARK));
    for (const path of [paths[4], paths[8]]) {
      const again = await yes(await ask(`${all}; echo ${quoted(path ?? '')}`));
      writeFileSync(path ?? '', 'echo y\n');
      expect(await run(again)).toMatchObject({
        status: 'refused',
        reason: expect.stringMatching(/has other text/),
      });
      script(NAMES[paths.indexOf(path ?? '')] ?? '');
    }
    expect(existsSync(join(host.files, MARK))).toBe(false);
  });

  it.each([
    ['a folder', (path: string) => mkdirSync(path)],
    ['a FIFO', (path: string) => spawnSync('sh', ['-c', 'mkfifo "$0"', path])],
    ['a device', (path: string) => spawnSync('ln', ['-s', '/dev/zero', path])],
  ])('that is %s gets no card, and is refused when it became one', async (_claim, make) => {
    const { ask, yes, run } = await proposing(host);
    const path = join(host.files, 'odd');
    make(path);
    expect(await ask(`bash ${path}`)).toMatchObject({
      kind: 'refused',
      reasons: [expect.stringMatching(/is no file/)],
    });
    const good = script('good.sh');
    const id = await yes(await ask(`bash ${good}`));
    rmSync(good);
    make(good);
    expect(await run(id)).toMatchObject({
      status: 'refused',
      reason: expect.stringMatching(/is no file any more/),
    });
  });

  it('is one of twenty, and each counts', async () => {
    const { ask, yes, run, home } = await proposing(host);
    const paths = Array.from({ length: 20 }, (_none, n) =>
      script(`long-name-${'x'.repeat(120)}-${n}`),
    );
    const all = paths.map((path) => `sh ${path}`).join('; ');
    const id = await yes(await ask(all));
    expect((await home.row(id)).facts?.files).toHaveLength(20);
    expect(await run(id)).toMatchObject({ status: 'completed' });
    const again = await yes(await ask(`${all}; true`));
    writeFileSync(paths[19] ?? '', 'true\n');
    expect(await run(again)).toMatchObject({
      status: 'refused',
      reason: expect.stringMatching(/-19 has other text/),
    });
  });
});

it('a pattern of ten thousand names is counted, and one more is noticed', async () => {
  const { ask, yes, run, cards } = await proposing(host);
  for (let n = 0; n < 10_000; n += 1)
    writeFileSync(join(host.files, `${'n'.repeat(60)}-${n}.tmp`), '');
  const answer = await ask(`rm ${host.files}/*.tmp`);
  expect(await cards()).toMatchObject([{ phraseObject: '10000 files' }]);
  const id = await yes(answer);
  writeFileSync(join(host.files, 'zzz.tmp'), '');
  expect(await run(id)).toMatchObject({
    status: 'refused',
    reason: expect.stringMatching(/10000 then, 10001 now/),
  });
});

/** A file that takes seconds to be read, and what undoes that. */
function slow(): { path: string; shorten: () => void } {
  const path = script('slow.sh');
  truncateSync(path, 2 * 1024 ** 3);
  return { path, shorten: () => truncateSync(path, 10) };
}
const looking = () => until(async () => expect(pidsWith('sha256sum').length).toBeGreaterThan(0));

describe('while a look goes on', () => {
  it('stop ends the proposal, and the look makes no card of it', async () => {
    const { askUnheard, acting, home, cards, h } = await proposing(host);
    const { path, shorten } = slow();
    const id = await askUnheard(`bash ${path}`);
    const looked = acting[0]?.previewer.look(id);
    await looking();
    await stopTask(h.db, (await home.row(id)).taskId, OPERATOR);
    shorten();
    expect(await looked).toBe(false);
    expect((await home.row(id)).status).toBe('cancelled');
    expect(await cards()).toEqual([]);
  });

  it('the end of the daemon leaves the proposal to the next one', async () => {
    const { askUnheard, acting, home } = await proposing(host, 2);
    const { path, shorten } = slow();
    const id = await askUnheard(`bash ${path}`);
    const looked = acting[0]?.previewer.look(id);
    await looking();
    acting[0]?.previewer.close();
    host.sshd.cut();
    expect(await looked).toBe(false);
    expect((await home.row(id)).status).toBe('proposed');
    await host.sshd.start();
    shorten();
    expect(await acting[1]?.previewer.look(id)).toBe(true);
    expect((await home.row(id)).status).toBe('pending_approval');
  });

  it('a floor that is raised makes a yes to the old class worth nothing', async () => {
    const { ask, acting, yes, run, h } = await proposing(host);
    const { path, shorten } = slow();
    const asked = ask(`bash ${path}`);
    await looking();
    await changeGateSetting(h.db, testSeals, {
      key: 'floors',
      next: () => ({ 'host:box': 'destructive' }),
      actor: 'cli:test',
      line: '',
    });
    shorten();
    const id = await yes(await asked);
    expect(acting).toHaveLength(1);
    expect(await run(id)).toMatchObject({
      status: 'refused',
      reason: expect.stringMatching(/counts as destructive now/),
    });
  });
});
