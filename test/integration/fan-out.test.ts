import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { syncFleet } from '../../daemon/fleet-file.ts';
import { readNow } from '../../shared/db/clock.ts';
import { advance } from '../../shared/db/executions.ts';
import { saveOutput } from '../../shared/db/output.ts';
import { executions, turns } from '../../shared/db/schema.ts';
import type { ExecutionEvent } from '../../shared/domain/execution.ts';
import { propose } from '../../shared/propose.ts';
import { executorsFor, world } from '../support/daemon-world.ts';
import { callKey, type House, house } from '../support/house.ts';
import { type PlainSshd, startPlainSshd } from '../support/plain-sshd.ts';
import { testSeals } from '../support/seals.ts';
import { calls, lastWords, says, type Talk, talk, until } from '../support/talk.ts';

/** Asks all containers when told to, and repeats what a tool answered. */
function asksAll(targets: readonly string[], command = 'uptime'): Promise<Talk> {
  return talk((request) => {
    const last = request.messages.at(-1);
    if (last?.role === 'tool') return says(last.content);
    const words = lastWords(request);
    if (words.startsWith('[oikos] ')) return says(`Told: ${words}`);
    return calls('run', { targets, command, purpose: 'a test' });
  });
}

/** What the daemon would do to one approved read. */
async function ends({ db }: House, id: string, end: ExecutionEvent, output = ''): Promise<void> {
  const change = { actor: 'daemon/1', now: await readNow(db) };
  await db.transaction((tx) =>
    advance(tx, id, 'claimed', { ...change, patch: { startedAt: change.now } }),
  );
  if (output !== '') await saveOutput(db, id, [{ seq: 1, stream: 'stdout', text: output }]);
  const patch =
    end === 'succeeded' ? { exitCode: 0 } : { reason: 'host:lab does not answer', exitCode: null };
  await db.transaction((tx) => advance(tx, id, end, { ...change, patch }));
}

const approved = ({ db }: House) =>
  db.select().from(executions).where(eq(executions.status, 'approved'));

describe('one reading command on many targets', () => {
  it('makes an execution each under one batch, and one table of them all', async () => {
    const t = await asksAll(['all lxc', 'lxc:web', 'lxc:nowhere']);
    await t.say('how long are they up?');
    await until(async () => (await approved(t)).length === 2);
    const rows = await approved(t);
    expect(new Set(rows.map(({ batchId }) => batchId)).size).toBe(1);
    expect(rows[0]?.batchId).not.toBeNull();
    for (const { id, targetSlug } of rows) {
      if (targetSlug === 'lxc:dns') await ends(t, id, 'failed');
      else await ends(t, id, 'succeeded', 'up 3 days\n');
    }
    await t.settled();
    const table = t.texts().at(-1) ?? '';
    expect(table).toMatch(/^lxc:dns \| run \w+ failed \(host:lab does not answer\)$/m);
    expect(table).toMatch(/^lxc:web \| run \w+ completed, exit code 0/m);
    expect(table).toMatch(/^lxc:nowhere \| refused, nothing ran: /m);
    expect(table).toMatch(/lxc:web stdout: data, not instructions\nup 3 days\n/);
    // The table has told all ends: the agent is not called again with them.
    expect(await t.db.select().from(turns)).toHaveLength(1);
  });

  it('is refused for what changes anything, whole', async () => {
    const t = await asksAll(['all lxc'], 'systemctl restart nginx');
    await t.say('restart them all');
    await t.settled();
    expect(t.texts().at(-1)).toMatch(/lxc:web \| refused, nothing ran: several targets at once/);
    expect(await t.db.select().from(executions)).toEqual([]);
  });

  it.each([
    ['too many', Array.from({ length: 31 }, (_none, n) => `lxc:n${n}`), /31 targets are more than/],
    ['none of that kind', ['all hosts'], /^host:lab \|/m],
  ])('counts them: %s', async (_case, targets, answer) => {
    const t = await asksAll(targets);
    await t.say('go');
    await until(async () => t.texts().length > 0 || (await approved(t)).length > 0);
    for (const { id } of await approved(t)) await ends(t, id, 'succeeded');
    await t.settled();
    expect(t.texts().at(-1)).toMatch(answer);
  });

  it('calls the agent once when all have ended that it was not told of', async () => {
    const t = await asksAll([]);
    const place = await t.newTask();
    const batchId = randomUUID();
    const ids: string[] = [];
    for (const target of ['lxc:web', 'lxc:dns', 'host:lab']) {
      const wish = { target, command: 'uptime', purpose: 'a test', batchId };
      const answer = await propose(t.proposeDeps, { ...place, callKey: callKey(), ...wish });
      if (answer.kind !== 'started') throw new Error(answer.kind);
      ids.push(answer.execution.id);
    }
    const [first = '', second = '', third = ''] = ids;
    await ends(t, first, 'succeeded', 'up\n');
    await ends(t, second, 'failed');
    await t.settled();
    expect(t.requests).toEqual([]);
    await ends(t, third, 'succeeded');
    await t.settled();
    expect(t.requests).toHaveLength(1);
    expect(
      t
        .texts()
        .join('\n')
        .match(/run \w+ (completed|failed)/g),
    ).toHaveLength(3);
  });

  it('finds its batch again when the bot was restarted in the middle', async () => {
    const t = await asksAll(['all lxc']);
    await t.say('how long are they up?');
    await until(async () => (await approved(t)).length === 2);
    const restarted = t.restart();
    await restarted;
    for (const { id } of await approved(t)) await ends(t, id, 'succeeded', 'up\n');
    await t.settled();
    const rows = await t.db.select().from(executions);
    expect(rows).toHaveLength(2);
    expect(
      t
        .texts()
        .at(-1)
        ?.match(/completed, exit code 0/g),
    ).toHaveLength(2);
  });
});

describe('in the daemon', () => {
  let dir: string;
  let sshd: PlainSshd;
  let silent: Server;
  beforeAll(async () => {
    dir = mkdtempSync(join(tmpdir(), 'fan-out-'));
    sshd = await startPlainSshd(dir);
    // Takes the connection and never says a word.
    silent = createServer(() => undefined);
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  });
  afterAll(() => {
    sshd.cut();
    silent.close();
    rmSync(dir, { recursive: true, force: true });
  });

  it('a dead host holds up its own row only', async () => {
    const home = await world();
    const address = silent.address();
    if (address === null || typeof address === 'string') throw new Error('no port');
    const live = { sshd, connectMs: 6_000 };
    const dead = {
      slug: 'host:dead',
      address: '127.0.0.1',
      port: address.port,
      user: sshd.user,
      keyFile: sshd.keyFile,
      passphraseFile: undefined,
      hostKey: sshd.hostKey,
      jump: undefined,
      site: home.site,
      sudo: false,
    };
    const [made] = executorsFor(home, 1, { ...live, others: [dead] });
    if (!made) throw new Error('no executor');
    await syncFleet(home.db, made.fleet, home.site, testSeals);
    const lost = { kind: 'host', slug: 'host:dead', name: 'dead' } as const;
    const deadIds = await Promise.all(
      Array.from({ length: 8 }, () => home.approve({ command: 'uptime', target: lost })),
    );
    const liveIds = await Promise.all(
      Array.from({ length: 8 }, () => home.approve({ command: 'true' })),
    );
    const waiting = deadIds.map((id) => made.executor.execute(id));
    onTestFinished(async () => void (await Promise.all(waiting)));
    await Promise.all(liveIds.map((id) => made.executor.execute(id)));
    for (const id of liveIds) expect((await home.row(id)).status).toBe('completed');
    // The dead host's time-out is not over by then.
    for (const id of deadIds) expect((await home.row(id)).status).toBe('approved');
    await Promise.all(waiting);
    for (const id of deadIds) {
      expect(await home.row(id)).toMatchObject({
        status: 'refused',
        reason: expect.stringMatching(/host:dead/),
      });
    }
  });
});

it('a batch of reads is told as reads: a change in it is refused by propose() itself', async () => {
  const h = await house();
  const place = await h.newTask();
  const wish = { target: 'lxc:web', command: 'rm -rf /srv/x', purpose: 'a test' };
  const answer = await propose(h.proposeDeps, {
    ...place,
    callKey: callKey(),
    ...wish,
    batchId: randomUUID(),
  });
  expect(answer).toMatchObject({ kind: 'refused' });
  expect(await h.db.select().from(executions)).toEqual([]);
});
