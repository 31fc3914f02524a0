import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { eq } from 'drizzle-orm';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { auditEvents, outbox } from '../../shared/db/schema.ts';
import { daemonFor } from '../support/daemon-world.ts';
import { proposing } from '../support/proposing.ts';
import { sshdForTests } from '../support/sshd-for-tests.ts';

const host = sshdForTests('content');

/** A script that leaves a mark when it runs. */
function script(name = 'x.sh', more = ''): { path: string; mark: string } {
  const path = join(host.files, name);
  const mark = join(host.files, `${name}.ran`);
  writeFileSync(path, `echo ran > ${mark}\n${more}`, { mode: 0o644 });
  return { path, mark };
}

describe('a script', () => {
  it('is read before its card, and runs when it is still the same', async () => {
    const { ask, yes, run, home } = await proposing(host);
    const { path, mark } = script('x.sh', '# PASSWORD=hunter2hunter2\n');
    const answer = await ask(`bash ${path}`);
    expect(answer).toMatchObject({ kind: 'waiting', execution: { status: 'pending_approval' } });
    const id = await yes(answer);
    const { facts } = await home.row(id);
    expect(facts?.files).toMatchObject([
      { path, state: 'file', found: { mode: '644', real: path } },
    ]);
    expect(facts?.files[0]?.found?.head).toMatch(/^echo ran > .*\n# PASSWORD=\[redacted/);
    expect(await run(id)).toMatchObject({ status: 'completed', exitCode: 0 });
    expect(existsSync(mark)).toBe(true);
  });

  it.each<[string, (path: string) => void, RegExp]>([
    ['has other text', (path) => writeFileSync(path, 'echo evil\n'), /has other text/],
    ['is gone', (path) => rmSync(path), /is gone/],
    ['lets others write', (path) => chmodSync(path, 0o666), /has other rights/],
    ['leads elsewhere', (path) => relink(path), /leads to .*other\.sh/],
    [
      'lies where others may write',
      () => chmodSync(host.files, 0o777),
      /others may write to a folder/,
    ],
  ])('that %s when it is to run is refused, and nothing starts', async (_claim, change, reason) => {
    const { ask, yes, run } = await proposing(host);
    const { path, mark } = script();
    const id = await yes(await ask(`bash ${path}`));
    change(path);
    expect(await run(id)).toMatchObject({
      status: 'refused',
      reason: expect.stringMatching(reason),
      startedAt: null,
    });
    expect(existsSync(mark)).toBe(false);
  });

  it.each<[string, (path: string) => void, RegExp]>([
    [
      'in a folder that others may write to',
      () => chmodSync(host.files, 0o1777),
      /others may write to/,
    ],
    ['that others may write to', (path) => chmodSync(path, 0o646), /others may write to it/],
    ['that is not there', (path) => rmSync(path), /there is no /],
  ])('%s gets no card', async (_claim, change, reason) => {
    const { ask, cards } = await proposing(host);
    const { path } = script();
    change(path);
    expect(await ask(`bash ${path}`)).toMatchObject({
      kind: 'refused',
      reasons: [expect.stringMatching(reason)],
    });
    expect(await cards()).toEqual([]);
  });

  it('is part of what the yes was given to: its hash on the row must fit', async () => {
    const { ask, yes, run, h } = await proposing(host);
    const { path } = script();
    const id = await yes(await ask(`bash ${path}`));
    const other = { files: [], lists: [] };
    await h.db.execute(
      `update executions set facts = '${JSON.stringify(other)}'::jsonb where id = '${id}'`,
    );
    expect(await run(id)).toMatchObject({
      status: 'refused',
      reason: expect.stringMatching(/not what was judged/),
    });
  });

  it('nobody looked at does not run, whatever its row says', async () => {
    const { home, run } = await proposing(host);
    const { path, mark } = script();
    const row = await run(await home.approve({ command: `bash ${path}` }));
    expect(row).toMatchObject({
      status: 'refused',
      reason: expect.stringMatching(/was not looked at/),
    });
    expect(existsSync(mark)).toBe(false);
  });
});

function relink(path: string): void {
  const other = path.replace(/x\.sh$/, 'other.sh');
  writeFileSync(other, readBack(path));
  rmSync(path);
  symlinkSync(other, path);
}

function readBack(path: string): string {
  return `echo ran > ${path}.ran\n`;
}

describe('a stack', () => {
  it('is shown with the files that Compose takes by itself, secrets left out', async () => {
    const { ask, home } = await proposing(host);
    const stack = join(host.files, 'app');
    mkdirSync(stack);
    writeFileSync(join(stack, 'compose.yaml'), 'services:\n  web:\n    image: nginx\n');
    writeFileSync(join(stack, '.env'), 'ADMIN=letmein-please\n');
    const answer = await ask(`cd ${stack} && docker compose up -d`);
    if (answer.kind !== 'waiting') throw new Error(answer.kind);
    const { facts } = await home.row(answer.execution.id);
    const there = facts?.files.filter(({ state }) => state === 'file') ?? [];
    expect(there.map(({ path, found }) => [path, found?.head])).toEqual([
      [join(stack, 'compose.yaml'), 'services:\n  web:\n    image: nginx\n'],
      [join(stack, '.env'), undefined],
    ]);
  });

  it('that gets a second file after its yes is refused', async () => {
    const { ask, yes, run } = await proposing(host);
    writeFileSync(join(host.files, 'compose.yaml'), 'services: {}\n');
    const id = await yes(await ask(`cd ${host.files} && docker compose up -d`));
    writeFileSync(join(host.files, 'compose.override.yaml'), 'services: {evil: {image: x}}\n');
    expect(await run(id)).toMatchObject({
      status: 'refused',
      reason: expect.stringMatching(/compose\.override\.yaml is there now/),
    });
  });
});

describe('what a file names in turn', () => {
  const stack = async () => {
    const { ask, yes, run, home } = await proposing(host);
    const text = 'services: {web: {image: x, env_file: settings.txt, build: $OTHER}}\n';
    writeFileSync(join(host.files, 'compose.yaml'), text);
    writeFileSync(join(host.files, 'settings.txt'), 'LOGIN=hunter2\n');
    const id = await yes(await ask(`docker compose -f ${host.files}/compose.yaml up -d`));
    return { id, run, facts: (await home.row(id)).facts };
  };

  it('is looked at too, without its text where that may be a password', async () => {
    const { facts } = await stack();
    const named = facts?.files.filter(({ namedBy }) => namedBy !== undefined);
    expect(named).toMatchObject([
      {
        path: join(host.files, 'settings.txt'),
        state: 'file',
        namedBy: join(host.files, 'compose.yaml'),
      },
    ]);
    expect(JSON.stringify(facts)).not.toContain('hunter2');
    expect(facts?.unseen).toEqual(['$OTHER/Dockerfile']);
  });

  it('is compared before the start', async () => {
    const { id, run } = await stack();
    writeFileSync(join(host.files, 'settings.txt'), 'LOGIN=other\n');
    expect(await run(id)).toMatchObject({
      status: 'refused',
      reason: expect.stringMatching(/settings\.txt has other text/),
    });
  });
});

describe('a pattern', () => {
  const fill = (...names: string[]) => {
    for (const name of names) writeFileSync(join(host.files, name), '');
  };

  it('is listed on the card and confirmed by the number of its matches', async () => {
    const { ask, yes, run, cards, home } = await proposing(host);
    fill('1.tmp', '2.tmp', 'kept');
    const answer = await ask(`rm ${host.files}/*.tmp`);
    expect(await cards()).toMatchObject([{ phraseVerb: 'rm', phraseObject: '2 files' }]);
    const id = await yes(answer);
    expect((await home.row(id)).facts?.lists).toMatchObject([
      { count: 2, names: [join(host.files, '1.tmp'), join(host.files, '2.tmp')] },
    ]);
    expect(await run(id)).toMatchObject({ status: 'completed' });
    expect(['1.tmp', '2.tmp', 'kept'].map((name) => existsSync(join(host.files, name)))).toEqual([
      false,
      false,
      true,
    ]);
  });

  it('that matches more when it is to run is refused', async () => {
    const { ask, yes, run } = await proposing(host);
    fill('1.tmp');
    const id = await yes(await ask(`rm ${host.files}/*.tmp`));
    fill('precious.tmp');
    expect(await run(id)).toMatchObject({
      status: 'refused',
      reason: expect.stringMatching(/matches other files/),
    });
    expect(existsSync(join(host.files, '1.tmp'))).toBe(true);
  });

  it('that matches nothing gets no card', async () => {
    const { ask } = await proposing(host);
    expect(await ask(`rm ${host.files}/*.tmp`)).toMatchObject({
      kind: 'refused',
      reasons: ['its pattern matches nothing'],
    });
  });

  it('opens no window: the same pattern asks again', async () => {
    const { ask, yes, run } = await proposing(host);
    fill('1.tmp');
    await run(await yes(await ask(`rm ${host.files}/*.tmp`)));
    fill('2.tmp');
    expect(await ask(`rm ${host.files}/*.tmp`)).toMatchObject({ kind: 'waiting' });
  });
});

describe('a file that is only read', () => {
  /** Where the login starts: below /tmp a plain read would ask. */
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(homedir(), 'oikos-content-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    writeFileSync(join(folder, 'plain'), 'hello\n');
  });

  it.each([
    ['its own path', (link: string) => link],
    ['a path from where it starts', (link: string) => relative(homedir(), link)],
  ])('is shown by %s when it leads to nothing worse', async (_claim, written) => {
    const { ask, run, home } = await proposing(host);
    const link = join(folder, 'link');
    symlinkSync(join(folder, 'plain'), link);
    const answer = await ask(`cat ${written(link)}`);
    if (answer.kind !== 'started') throw new Error(answer.kind);
    expect(await run(answer.execution.id)).toMatchObject({ status: 'completed' });
    expect(await home.output(answer.execution.id, 'stdout')).toBe('hello\n');
  });

  it.each([
    ['its own path', (link: string) => `cat ${link}`],
    ['a path from a folder', (link: string) => `cd ${dirname(link)} && head -n 3 link | cat`],
    ['a redirection', (link: string) => `grep -c . < ${link}`],
  ])('by %s is refused when it was swapped for a link to a secret', async (_claim, command) => {
    const { ask, run, home } = await proposing(host);
    const link = join(folder, 'link');
    writeFileSync(link, 'hello\n');
    const answer = await ask(command(link));
    if (answer.kind !== 'started') throw new Error(answer.kind);
    rmSync(link);
    symlinkSync('/etc/shadow', link);
    expect(await run(answer.execution.id)).toMatchObject({
      status: 'refused',
      reason: expect.stringMatching(/link leads to \/etc\/shadow: .*secret/),
      startedAt: null,
    });
    expect(await home.output(answer.execution.id, 'stdout')).toBe('');
  });
});

describe('a proposal that waits for a look', () => {
  it('is moved on once, whoever looks', async () => {
    const { askUnheard, acting, cards, h } = await proposing(host, 2);
    const { path } = script();
    const id = await askUnheard(`bash ${path}`);
    const looked = await Promise.all(
      [...acting, ...acting].map(({ previewer }) => previewer.look(id)),
    );
    expect(looked.filter(Boolean)).toHaveLength(1);
    expect(await cards()).toHaveLength(1);
    const moves = await h.db.select().from(auditEvents).where(eq(auditEvents.executionId, id));
    expect(moves.map(({ kind }) => kind)).toEqual(['execution.proposed', 'execution.asked']);
  });

  it('has no card before, and shows one by itself when its turn is over', async () => {
    const { askUnheard, acting, cards, h } = await proposing(host);
    const { path } = script();
    const id = await askUnheard(`bash ${path}`);
    expect(await cards()).toEqual([]);
    await acting[0]?.previewer.look(id);
    const told = await h.db.select().from(outbox).where(eq(outbox.executionId, id));
    expect(told.map(({ type }) => type)).toEqual(['execution.waiting']);
  });

  it('is found by the sweep when its ring was lost', async () => {
    const { askUnheard, home } = await proposing(host);
    const { path } = script();
    const id = await askUnheard(`bash ${path}`);
    await daemonFor(home, host);
    await expect
      .poll(async () => (await home.row(id)).status, { timeout: 15_000 })
      .toBe('pending_approval');
  });

  it('of a host that cannot be reached ends in words', async () => {
    const { ask, h } = await proposing({ ...host, port: 1, connectMs: 1_000 });
    const answer = await ask('bash /root/x.sh');
    expect(answer).toMatchObject({
      kind: 'refused',
      reasons: [expect.stringMatching(/refused the connection.*files could not be looked at/)],
    });
    const id = answer.kind === 'refused' ? (answer.executionId ?? '') : '';
    const told = await h.db.select().from(outbox).where(eq(outbox.executionId, id));
    expect(told.map(({ type }) => type)).toEqual(['execution.ended']);
  });

  it('whose command was altered in its row is not looked at', async () => {
    const { askUnheard, acting, home, h } = await proposing(host);
    const { path } = script();
    const id = await askUnheard(`bash ${path}`);
    await h.db.execute(`update executions set command = 'bash /etc/passwd' where id = '${id}'`);
    await acting[0]?.previewer.look(id);
    expect(await home.row(id)).toMatchObject({
      status: 'denied',
      reason: expect.stringMatching(/changed in the database since it was proposed/),
    });
  });
});
