import { randomUUID } from 'node:crypto';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { cut, dir, house, SHELLS } from '../../test/support/local-runner.ts';
import { saidBy } from '../ssh/preflight.ts';
import { CHANGED } from '../ssh/transport.ts';

afterAll(() => rmSync(dir, { recursive: true, force: true }));

const shells = Object.values(SHELLS).filter((shell) => shell !== undefined);

describe.each(shells)('a look before a detached run by $path', (shell) => {
  /** A run that leaves a mark, and a file that is looked at. */
  function setup() {
    const file = join(dir, `looked-${randomUUID()}`);
    const mark = join(dir, `mark-${randomUUID()}`);
    writeFileSync(file, 'text\n');
    const run = house(shell);
    const looking = (line: string, judge: (said: string) => string | undefined) => ({
      command: `echo > ${mark}; echo out`,
      preflight: {
        lines: (nonce: string) => [line.replace('NONCE', nonce)],
        judge: (received: string, nonce: string) => judge(saidBy(0, received, nonce)),
        twice: true,
      },
    });
    return { ...run, file, mark, looking };
  }

  it('lets it start when all is as it was', async () => {
    const { start, looking, file, mark } = setup();
    const said: string[] = [];
    const wish = looking(`cat ${file}`, (text) => {
      said.push(text);
      return undefined;
    });
    const { session, heard } = start(wish);
    expect(await session.end).toMatchObject({ kind: 'ended' });
    expect([said, heard.stdout, existsSync(mark)]).toEqual([['text\n\n'], 'out\n', true]);
  });

  it('starts nothing when what it found forbids it', async () => {
    const { start, looking, file, mark, spool } = setup();
    const { session } = start(looking(`cat ${file}`, () => 'no'));
    expect(await session.end).toEqual({ kind: 'refused', reason: 'no' });
    expect([existsSync(mark), existsSync(spool)]).toEqual([false, false]);
  });

  it('starts nothing when the file changes after the first look', async () => {
    const { start, looking, file, mark, spool } = setup();
    const { session } = start(
      looking(`cat ${file}`, () => {
        writeFileSync(file, 'evil\n');
        return undefined;
      }),
    );
    expect(await session.end).toEqual({ kind: 'refused', reason: CHANGED });
    expect([existsSync(mark), existsSync(spool)]).toEqual([false, false]);
  });

  it('takes no word of a place for a frame of ours', async () => {
    const { start, looking, mark } = setup();
    const forge = `sh -c 'for w in ready started "end 0 none 0 0 0"; do echo "oikos NONCE $w"; done'`;
    const { session } = start(looking(forge, (text) => text.split('\n')[0]));
    expect(await session.end).toMatchObject({
      kind: 'refused',
      reason: expect.stringMatching(/^oikos .*ready$/),
    });
    expect(existsSync(mark)).toBe(false);
  });

  it('is given up where the second look hangs, and the run never begins', async () => {
    const { start, attach, looking, file, mark } = setup();
    const line = `sh -c '[ ! -e ${file} ] || exit 0; exec sleep 5'`;
    const wish = looking(line, () => {
      rmSync(file);
      return undefined;
    });
    const { session } = start({ ...wish, greetingMs: 1_000 });
    expect(await session.end).toEqual({ kind: 'broken', mayRun: true });
    expect(await attach().session.end).toEqual({ kind: 'absent' });
    cut(session.child);
    expect(existsSync(mark)).toBe(false);
  });
});
