import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { registerAudit } from '../../cli/audit/register.ts';
import { registerSeal } from '../../cli/seal/register.ts';
import { ledgerHead } from '../../shared/db/ledger.ts';
import { approvals, executions } from '../../shared/db/schema.ts';
import { decide } from '../../shared/decide.ts';
import { propose } from '../../shared/propose.ts';
import { callKey, type House, house, OPERATOR } from '../support/house.ts';
import { scriptedTerminal } from '../support/scripted-terminal.ts';

let dir: string;
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'cli-audit-'));
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

/** The command line in this very process: what it says, and how it ends. */
async function oikos(h: Pick<House, 'url'>, args: readonly string[], place = 'none') {
  const terminal = scriptedTerminal();
  const env = { DATABASE_URL: h.url, SEAL_KEY_FILE: join(dir, place, 'key') };
  const program = new Command('oikos').exitOverride();
  registerAudit(program, { terminal, env });
  registerSeal(program, { terminal, env });
  await program.parseAsync([...args], { from: 'user' });
  const status = process.exitCode ?? 0;
  process.exitCode = undefined;
  return { status, said: terminal.lines.join('\n') };
}

/** A restart that was asked for and granted in words. */
async function granted(): Promise<House> {
  const h = await house();
  const place = await h.newTask();
  const wish = { target: 'lxc:web', command: 'systemctl restart nginx', purpose: 'a test' };
  await propose(h.proposeDeps, { ...place, callKey: callKey(), ...wish });
  const [approval] = await h.db.select().from(approvals);
  const yes = { approvalId: approval?.id ?? '', decision: 'granted', by: OPERATOR } as const;
  await decide(h.decideDeps, { ...yes, how: 'words', words: 'go ahead', eventId: '$yes' });
  return h;
}

describe('oikos audit verify', () => {
  it('ends with 0 when the ledger is whole, with 1 and the row when it is not', async () => {
    const h = await granted();
    expect(await oikos(h, ['audit', 'verify'])).toMatchObject({
      status: 0,
      said: expect.stringMatching(/^The ledger is whole: \d+ events, last hash [0-9a-f]{64}\.$/),
    });
    await h.db.transaction(async (tx) => {
      await tx.execute(sql`set local session_replication_role = replica`);
      await tx.execute(
        sql`update audit_events set actor = '@friend:x' where kind = 'execution.granted'`,
      );
    });
    expect(await oikos(h, ['audit', 'verify'])).toMatchObject({
      status: 1,
      said: expect.stringMatching(
        /^The ledger is broken at place \d+: event \d+ is not what was written\.$/,
      ),
    });
    expect(JSON.parse((await oikos(h, ['audit', 'verify', '--json'])).said)).toMatchObject({
      kind: 'broken',
    });
  });

  it('ends with 1 when the mark outside remembers more, or another ledger', async () => {
    const h = await granted();
    const { place, hash } = await ledgerHead(h.db);
    expect((await oikos(h, ['seal', 'init'], 'marked')).status).toBe(0);
    const mark = join(dir, 'marked', 'ledger-mark.json');
    writeFileSync(mark, JSON.stringify({ place, hash }));
    expect((await oikos(h, ['audit', 'verify'], 'marked')).status).toBe(0);
    writeFileSync(mark, JSON.stringify({ place, hash: 'ab'.repeat(32) }));
    expect(await oikos(h, ['audit', 'verify'], 'marked')).toMatchObject({
      status: 1,
      said: expect.stringMatching(/is another one than/),
    });
    writeFileSync(mark, JSON.stringify({ place: place + 1, hash }));
    expect(await oikos(h, ['audit', 'verify'], 'marked')).toMatchObject({
      status: 1,
      said: expect.stringMatching(/its end was cut off, or the database is an older copy/),
    });
  });
});

describe('oikos audit show', () => {
  it('tells the story of a card in order, with the words that decided it', async () => {
    const h = await granted();
    const { status, said: stdout } = await oikos(h, ['audit', 'show', '#1']);
    expect(status).toBe(0);
    expect(stdout).toMatch(
      /^T1 "test" in !room:oikos\.test: open\n#1 on lxc:web, config_mutation: approved\n/,
    );
    const kinds = [...stdout.matchAll(/Z {2}([\w.]+)/g)].map(([, kind]) => kind);
    expect(kinds).toEqual([
      'execution.proposed',
      'execution.asked',
      'execution.granted',
      'window.opened',
    ]);
    expect(stdout).toContain(`execution.granted #1 by ${OPERATOR}`);
    expect(stdout).toContain('event $yes, words "go ahead"');
    const [row] = await h.db.select().from(executions);
    expect((await oikos(h, ['audit', 'show', '--execution', row?.id ?? ''])).said).toBe(stdout);
    expect((await oikos(h, ['audit', 'show', 'T1'])).said).toContain('execution.granted #1');
    const story = JSON.parse((await oikos(h, ['audit', 'show', '#1', '--json'])).said);
    expect(story.events).toHaveLength(4);
  });

  it('asks which one is meant where two rooms have the number', async () => {
    const h = await granted();
    const other = await h.newTask('!other:oikos.test');
    const wish = { target: 'lxc:web', command: 'systemctl stop nginx', purpose: 'a test' };
    await propose(h.proposeDeps, { ...other, callKey: callKey(), ...wish });
    expect(await oikos(h, ['audit', 'show', '#1'])).toMatchObject({
      status: 1,
      said: expect.stringMatching(
        /#1 is more than one .*!room:oikos.test.*!other:oikos.test|#1 is more than one .*!other:oikos.test.*!room:oikos.test/,
      ),
    });
    const one = await oikos(h, ['audit', 'show', '#1', '--room', '!other:oikos.test']);
    expect(one.said).toContain('systemctl stop nginx');
  });

  it.each([
    ['#9', /The ledger has no #9/],
    ['seven', /is no #7, no T3 and no id/],
  ])('says when there is no %s', async (subject, complaint) => {
    const h = await house();
    expect(await oikos(h, ['audit', 'show', subject])).toMatchObject({
      status: 1,
      said: expect.stringMatching(complaint),
    });
  });
});

it('oikos seal makes a key once, and a second one in front of it', async () => {
  const at = { url: 'postgres://127.0.0.1:1/x' };
  await expect(oikos(at, ['seal', 'rotate'], 'keys')).rejects.toThrow(/oikos seal init/);
  expect((await oikos(at, ['seal', 'init'], 'keys')).said).toMatch(/^Made /);
  expect((await oikos(at, ['seal', 'init'], 'keys')).said).toMatch(/is there already .* k1\.$/);
  expect((await oikos(at, ['seal', 'rotate'], 'keys')).said).toMatch(
    /seals with k2 from the next start/,
  );
  expect(statSync(join(dir, 'keys', 'key')).mode & 0o777).toBe(0o600);
});
