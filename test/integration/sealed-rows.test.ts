import { randomUUID } from 'node:crypto';
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { and, eq, type SQL, sql } from 'drizzle-orm';
import { describe, expect, it } from 'vitest';
import { policyChanges } from '../../cli/policy/changes.ts';
import type { Executor } from '../../daemon/executor.ts';
import { advance } from '../../shared/db/executions.ts';
import {
  approvals,
  auditEvents,
  decisions,
  executions,
  outbox,
  windows,
} from '../../shared/db/schema.ts';
import { revokeWindows } from '../../shared/db/windows.ts';
import { decide } from '../../shared/decide.ts';
import { propose } from '../../shared/propose.ts';
import { executionContent } from '../../shared/sealed.ts';
import { specHash } from '../../shared/spec-hash.ts';
import { letRunBy } from '../support/approved-execution.ts';
import { oneExecutor, type World, world } from '../support/daemon-world.ts';
import { callKey, house, OPERATOR } from '../support/house.ts';
import { openWindow } from '../support/open-window.ts';
import { testSeals } from '../support/seals.ts';
import { sshdForTests } from '../support/sshd-for-tests.ts';
import { talk } from '../support/talk.ts';

const box = { kind: 'host', slug: 'host:box', name: 'box' } as const;
const web = { kind: 'lxc', slug: 'lxc:web', name: 'web', host: 'host:box', vmid: 101 } as const;

const ssh = sshdForTests('sealed-rows');

interface Scene {
  readonly home: World;
  readonly executor: Executor;
  /** What the command would make. */
  readonly file: string;
  readonly id: string;
}

/** A change that an operator said yes to, ready to start. */
async function scene(): Promise<Scene> {
  const home = await world();
  const executor = await oneExecutor(home, { sshd: ssh.sshd, guests: [web] });
  const file = join(ssh.files, `made-${home.site}`);
  const id = await home.approve({ command: `touch ${file}`, declaredRisk: 'config_mutation' });
  return { home, executor, file, id };
}

/** A copy of the execution with another command, its hash right, by whoever writes to Postgres. */
async function forge({ home, id }: Scene, command: string, authorization: object): Promise<string> {
  const forged = randomUUID();
  const hash = specHash(box, 'bash', command, []);
  const given = JSON.stringify(authorization);
  await home.db.execute(sql`
    insert into executions select (jsonb_populate_record(e, jsonb_build_object(
      'id', ${forged}::text, 'call_key', ${forged}::text, 'command', ${command}::text,
      'spec_hash', ${hash}::text, 'authorization', ${given}::jsonb))).*
    from executions e where id = ${id}`);
  return forged;
}

const forgeries: [string, (scene: Scene) => Promise<string>, RegExp][] = [
  [
    'a window, and lets work run under it',
    async (at) => {
      const windowId = await openWindow(at);
      await letRunBy(at.home.db, at.id, { kind: 'window', windowId });
      return at.id;
    },
    /window it was to run under was not opened by Oikos/,
  ],
  [
    'a command into a window that is open',
    async (at) =>
      forge(at, `touch ${at.file} `, {
        kind: 'window',
        windowId: await openWindow(at, {}, { sealed: true }),
      }),
    /its row was not written by Oikos/,
  ],
  [
    'an approval with a decision of its own',
    async (at) => {
      const approvalId = randomUUID();
      const forged = await forge(at, `touch ${at.file} `, { kind: 'approval', approvalId });
      const now = new Date();
      const { taskId } = await at.home.row(at.id);
      await at.home.db.insert(approvals).values({
        id: approvalId,
        executionId: forged,
        taskId,
        roomId: '!room:test',
        status: 'granted',
        expiresAt: now,
        createdAt: now,
      });
      await at.home.db
        .insert(decisions)
        .values({ approvalId, decision: 'granted', by: '@op:test', how: 'words', at: now });
      return forged;
    },
    /its row was not written by Oikos/,
  ],
  [
    'another command under a yes, its hash with it',
    async (at) => {
      const command = `touch ${at.file} # other`;
      const hash = specHash(box, 'bash', command, []);
      await at.home.db.execute(
        sql`update executions set command = ${command}, spec_hash = ${hash} where id = ${at.id}`,
      );
      return at.id;
    },
    /was changed since/,
  ],
  [
    'an operator, who then has said yes',
    async (at) => {
      await at.home.db.execute(sql`alter table decisions disable trigger all`);
      await at.home.db.update(decisions).set({ by: '@new-operator:test' });
      return at.id;
    },
    /no operator's word/,
  ],
  [
    'more time for what had run out',
    async (at) => {
      await at.home.db.execute(
        sql`update executions set not_after = not_after + interval '1 day' where id = ${at.id}`,
      );
      return at.id;
    },
    /was changed since/,
  ],
  [
    'an earlier start for what can still be called off',
    async (at) => {
      const row = await at.home.row(at.id);
      const notBefore = new Date(row.proposedAt.getTime() + 600_000);
      const seal = testSeals.seal('execution', executionContent({ ...row, notBefore }));
      await at.home.db.execute(sql`update executions set seal = ${seal} where id = ${at.id}`);
      return at.id;
    },
    /was changed since/,
  ],
  [
    'another place for a guest, and reads there',
    async (at) => {
      await at.home.db.execute(
        sql`update entities set attributes = attributes || '{"vmid": 135}' where slug = 'lxc:web'`,
      );
      return at.home.approve({ target: { ...web, vmid: 135 }, command: 'uptime' });
    },
    /lxc:web is not in the fleet as the daemon wrote it/,
  ],
];

describe('whoever can write to Postgres alone makes nothing run:', () => {
  it.each(forgeries)('%s', async (_deed, forged, reason) => {
    const at = await scene();
    const id = await forged(at);
    await at.executor.execute(id);
    expect(await at.home.row(id)).toMatchObject({
      status: 'refused',
      reason: expect.stringMatching(reason),
      startedAt: null,
    });
    expect(existsSync(at.file)).toBe(false);
    const { db } = at.home;
    const audited = await db
      .select()
      .from(auditEvents)
      .where(and(eq(auditEvents.executionId, id), eq(auditEvents.kind, 'execution.refused')));
    expect(audited).toHaveLength(1);
    const told = await db.select().from(outbox).where(eq(outbox.executionId, id));
    expect(told).toMatchObject([{ type: 'execution.ended' }]);
  });

  const settings: [string, SQL, RegExp][] = [
    [
      'changes a setting of the gate',
      sql`update gate_settings set value = '{}' where key = 'floors'`,
      /"floors" is not as oikos policy wrote it/,
    ],
    [
      'removes a setting of the gate',
      sql`delete from gate_settings where key = 'floors'`,
      /"floors" was removed/,
    ],
    [
      'adds a setting of the gate',
      sql`insert into gate_settings values ('policy', '{}', oikos_now(), 'cli:me', 'k1.x')`,
      /"policy" is not as oikos policy wrote it/,
    ],
  ];
  it.each(settings)('whoever %s', async (_deed, statement, reason) => {
    const at = await scene();
    const { db } = at.home;
    await policyChanges(db, testSeals, 'cli:op').protect('lxc:web', 'destructive');
    await db.execute(statement);
    await at.executor.execute(at.id);
    expect(await at.home.row(at.id)).toMatchObject({
      status: 'refused',
      reason: expect.stringMatching(reason),
    });
    expect(existsSync(at.file)).toBe(false);
  });

  it('whoever puts an older setting back, its seal with it', async () => {
    const at = await scene();
    const { db } = at.home;
    const changes = policyChanges(db, testSeals, 'cli:op');
    await changes.protect('lxc:web', 'config_mutation');
    await db.execute(sql`create table kept as select * from gate_settings`);
    await changes.protect('lxc:web', 'destructive');
    await db.execute(
      sql`update gate_settings s set value = k.value, seal = k.seal, updated_at = k.updated_at from kept k`,
    );
    await at.executor.execute(at.id);
    expect(await at.home.row(at.id)).toMatchObject({
      status: 'refused',
      reason: expect.stringMatching(/"floors" is not as oikos policy wrote it/),
    });
  });

  it('a run that is over, set back to its start', async () => {
    const at = await scene();
    await at.executor.execute(at.id);
    expect(existsSync(at.file)).toBe(true);
    rmSync(at.file);
    await at.home.db.execute(
      sql`update executions set status = 'approved', ended_at = null, started_at = null, owner = null where id = ${at.id}`,
    );
    await at.executor.execute(at.id);
    expect(await at.home.row(at.id)).toMatchObject({
      status: 'refused',
      reason: 'it was started or ended before, and nothing starts twice',
    });
    expect(existsSync(at.file)).toBe(false);
  });

  it('a yes that was taken back, given again', async () => {
    const at = await scene();
    await at.home.db.transaction((tx) =>
      advance(tx, at.id, 'cancelled', { actor: '@op:test', now: new Date() }),
    );
    await at.home.db.execute(
      sql`update executions set status = 'approved', ended_at = null where id = ${at.id}`,
    );
    await at.executor.execute(at.id);
    expect(await at.home.row(at.id)).toMatchObject({ status: 'refused', startedAt: null });
    expect(existsSync(at.file)).toBe(false);
  });

  it.each([
    ['that was closed', sql`select 1`],
    ['that they closed before the operator did', sql`update windows set revoked_at = oikos_now()`],
  ])('a window %s, opened again', async (_what, before) => {
    const at = await scene();
    const windowId = await openWindow(at, {}, { sealed: true });
    const { taskId } = await at.home.row(at.id);
    const { db } = at.home;
    await db.execute(before);
    await db.transaction((tx) => revokeWindows(tx, taskId, new Date(), '@op:test'));
    await db.execute(sql`update windows set revoked_at = null`);
    await letRunBy(db, at.id, { kind: 'window', windowId });
    await at.executor.execute(at.id);
    expect(await at.home.row(at.id)).toMatchObject({
      status: 'refused',
      reason: 'the window it was to run under is closed',
    });
    expect(existsSync(at.file)).toBe(false);
  });

  it('and what is as Oikos wrote it runs', async () => {
    const at = await scene();
    await at.executor.execute(at.id);
    expect(await at.home.row(at.id)).toMatchObject({ status: 'completed' });
    expect(existsSync(at.file)).toBe(true);
  });
});

it('a refusal by the daemon is told in the room also where there is no card', async () => {
  const t = await talk();
  const place = await t.newTask();
  const wish = { target: 'lxc:web', command: 'uptime', purpose: 'a test' };
  const answer = await propose(t.proposeDeps, { ...place, callKey: callKey(), ...wish });
  if (answer.kind !== 'started') throw new Error(answer.kind);
  const patch = { reason: 'its row was not written by Oikos, or was changed since' };
  await t.db.transaction((tx) =>
    advance(tx, answer.execution.id, 'refused', { actor: 'daemon/1', now: new Date(), patch }),
  );
  await t.settled();
  expect(t.texts()).toContain(
    'A command was refused, nothing ran: uptime on lxc:web (its row was not written by Oikos, or was changed since).',
  );
});

it('a yes to a card that was turned to another command grants nothing', async () => {
  const h = await house();
  const place = await h.newTask();
  const ask = (command: string) =>
    propose(h.proposeDeps, {
      ...place,
      callKey: callKey(),
      target: 'lxc:web',
      command,
      purpose: 'a test',
    });
  await ask('systemctl restart nginx');
  await ask('systemctl stop nginx');
  const [harmless, other] = await h.db.select().from(approvals).orderBy(approvals.createdAt);
  if (!(harmless && other)) throw new Error('no cards');
  await h.db.delete(approvals).where(eq(approvals.id, other.id));
  await h.db
    .update(approvals)
    .set({ executionId: other.executionId })
    .where(eq(approvals.id, harmless.id));
  const yes = { approvalId: harmless.id, decision: 'granted', by: OPERATOR, how: 'words' } as const;
  expect(await decide(h.decideDeps, { ...yes, words: 'yes' })).toEqual({ kind: 'altered' });
  expect(h.rung).toEqual([]);
});

it('a yes to a card whose row was changed grants nothing, and says so', async () => {
  const h = await house();
  const place = await h.newTask();
  const wish = { target: 'lxc:web', command: 'systemctl restart nginx', purpose: 'a test' };
  const asked = await propose(h.proposeDeps, { ...place, callKey: callKey(), ...wish });
  if (asked.kind !== 'waiting') throw new Error(asked.kind);
  const command = 'systemctl stop nginx';
  const target = { ...web, host: 'host:lab' } as const;
  await h.db.execute(
    sql`update executions set command = ${command}, spec_hash = ${specHash(target, 'bash', command)}`,
  );
  const [approval] = await h.db.select().from(approvals);
  const yes = { approvalId: approval?.id ?? '', decision: 'granted', by: OPERATOR } as const;
  const answer = await decide(h.decideDeps, { ...yes, how: 'words', words: 'yes' });
  expect(answer).toEqual({ kind: 'altered' });
  expect(await h.db.select().from(executions)).toMatchObject([
    { status: 'denied', authorization: null, reason: expect.stringMatching(/was changed/) },
  ]);
  expect(await h.db.select().from(windows)).toEqual([]);
  expect(h.rung).toEqual([]);
});
