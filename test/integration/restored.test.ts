import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { eq, sql } from 'drizzle-orm';
import { Client } from 'pg';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { until } from '../../lab/services/until.ts';
import { audit } from '../../shared/db/audit.ts';
import type { Db } from '../../shared/db/client.ts';
import { inboxStore } from '../../shared/db/inbox.ts';
import { walkLedger } from '../../shared/db/ledger.ts';
import { DatabaseReplaced, type LedgerWatch, watchLedger } from '../../shared/db/ledger-watch.ts';
import {
  approvals,
  auditEvents,
  executions,
  matrixInbox,
  outbox,
  rules,
  turns,
  windows,
} from '../../shared/db/schema.ts';
import { propose } from '../../shared/propose.ts';
import { allowAlways } from '../../shared/rules.ts';
import { daemonFor, type World, world } from '../support/daemon-world.ts';
import { callKey, house, OPERATOR, ROOM } from '../support/house.ts';
import { testSeals } from '../support/seals.ts';
import { sshdForTests } from '../support/sshd-for-tests.ts';

const ssh = sshdForTests('restored');

async function asAdmin(...statements: string[]): Promise<void> {
  const client = new Client(inject('adminUrl'));
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}

/** A copy of a database as a dump would hold it; answers how to put it in the database's place. */
async function dump(url: string): Promise<() => Promise<void>> {
  const name = new URL(url).pathname.slice(1);
  const copy = `d_${randomUUID().replaceAll('-', '')}`;
  const hangUp = `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`;
  await asAdmin(hangUp, `create database ${copy} template ${name}`);
  onTestFinished(() => asAdmin(`drop database if exists ${copy} with (force)`));
  return () =>
    asAdmin(`drop database ${name} with (force)`, `create database ${name} template ${copy}`);
}

const linesOf = (file: string) => readFileSync(file, 'utf8').split('\n').filter(Boolean).length;

async function asIsAgain(home: World): Promise<void> {
  await until(async () => void (await home.db.execute(sql`select 1`)));
}

describe('an older copy of the database', () => {
  it('starts nothing again that it still holds as approved', async () => {
    const home = await world();
    const file = join(ssh.files, `runs-${home.site}`);
    const id = await home.approve({ command: `echo ran >> ${file}` });
    const restore = await dump(home.url);
    const first = await daemonFor(home, ssh);
    await first.ring(id);
    await home.ended(id);
    expect(linesOf(file)).toBe(1);
    await first.daemon.stop();

    await restore();
    await asIsAgain(home);
    expect((await home.row(id)).status).toBe('approved');
    const second = await daemonFor(home, ssh);
    await second.ring(id);
    expect(await home.row(id)).toMatchObject({
      status: 'expired',
      reason: 'the database was restored from an older copy',
    });
    const fresh = await home.approve({ command: `echo fresh >> ${file}` });
    await second.ring(fresh);
    expect(await home.ended(fresh)).toMatchObject({ status: 'completed' });
    expect(linesOf(file)).toBe(2);
    expect(await walkLedger(home.db)).toMatchObject({ kind: 'whole' });
  });
});

it('a change whose start cannot be noted outside the database is not started', async () => {
  const home = await world();
  const { ring } = await daemonFor(home, ssh);
  rmSync(join(dirname(ssh.sshd.keyFile), `seal-${home.site}`), { recursive: true });
  const file = join(ssh.files, `unnoted-${home.site}`);
  const id = await home.approve({ command: `touch ${file}`, declaredRisk: 'config_mutation' });
  await ring(id);
  expect(await home.ended(id)).toMatchObject({
    status: 'failed',
    reason: 'nothing was started: the start could not be noted outside the database',
  });
  expect(existsSync(file)).toBe(false);
});

async function watch(db: Db, path: string): Promise<LedgerWatch> {
  const opened = await watchLedger({
    db,
    path,
    actor: 'bot',
    onReplaced: () => undefined,
    onError: () => undefined,
  });
  onTestFinished(() => opened.close());
  return opened;
}

const note = (db: Db, kind: string) =>
  db.transaction((tx) => audit(tx, { at: new Date(), kind, actor: 'tester' }));

/** A mark that remembers more than the database has. */
function markAhead(): string {
  const path = join(ssh.files, `mark-${randomUUID()}`);
  writeFileSync(path, JSON.stringify({ place: 900, hash: 'ab'.repeat(32) }));
  return path;
}

describe('the high-water mark', () => {
  it('ends all that is open, closes windows, forgets the place in the sync, tells each room', async () => {
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
    await ask('uptime');
    const [running] = await h.db.select().from(executions).where(eq(executions.status, 'approved'));
    await ask('df -h');
    await h.db.execute(sql`update executions set status = 'running' where id = ${running?.id}`);
    const now = new Date();
    await h.db.insert(windows).values({
      kind: 'assent',
      key: 'k',
      agent: 'nomos',
      taskId: place.taskId,
      openedBy: '@op:test',
      approvalId: randomUUID(),
      openedAt: now,
      expiresAt: new Date(now.getTime() + 600_000),
      coversSeq: 0,
    });
    const wish = { agent: 'nomos', roomId: ROOM, by: OPERATOR, eventId: '$always', dailyCap: 6 };
    const always = { command: 'systemctl restart nginx', target: 'lxc:web' };
    expect(await allowAlways(h.decideDeps, wish, always)).toMatchObject({ kind: 'offered' });
    await h.db.update(turns).set({ status: 'running' });
    const event = { roomId: ROOM, sender: '@op:test', type: 'm.room.message', content: {} };
    await inboxStore(h.db, testSeals).commit(
      [{ ...event, eventId: '$old', originServerTs: 1, history: false }],
      's1',
    );

    expect((await watch(h.db, markAhead())).restored).toBe(true);
    const rows = await h.db.select().from(executions).orderBy(executions.proposedAt);
    expect(rows.map(({ command, status }) => [command, status])).toEqual([
      ['systemctl restart nginx', 'expired'],
      ['uptime', 'lost'],
      ['df -h', 'expired'],
    ]);
    expect(await h.db.select().from(approvals)).toMatchObject([{ status: 'expired' }]);
    expect(await h.db.select().from(turns)).toMatchObject([{ status: 'ended' }]);
    expect((await h.db.select().from(windows)).every(({ revokedAt }) => revokedAt)).toBe(true);
    expect(await h.db.select().from(rules)).toMatchObject([
      { revokedAt: expect.any(Date), revokedBy: 'oikos' },
    ]);
    expect(await inboxStore(h.db, testSeals).loadToken()).toBeNull();
    expect(await h.db.select().from(matrixInbox)).toMatchObject([{ status: 'history' }]);
    const untold = (await h.db.select().from(outbox)).filter(({ toldAt }) => toldAt === null);
    expect(untold.filter(({ type }) => type === 'room.say')).toMatchObject([
      {
        roomId: ROOM,
        data: {
          text: expect.stringMatching(/expired 2, lost 1, windows closed 1, rules revoked 1/),
        },
      },
    ]);
    expect(untold.filter(({ type }) => type === 'execution.waiting')).toEqual([]);
  });

  it('is settled once when bot and daemon start at once', async () => {
    const h = await house();
    await h.newTask();
    const path = markAhead();
    const starts = await Promise.all([watch(h.db, path), watch(h.db, path), watch(h.db, path)]);
    expect(starts.filter(({ restored }) => restored)).toHaveLength(1);
    const told = await h.db
      .select()
      .from(auditEvents)
      .where(eq(auditEvents.kind, 'database.restored'));
    expect(told).toHaveLength(1);
  });

  it('takes the database as it is where there is none, and follows it', async () => {
    const h = await house();
    await note(h.db, 'one');
    const path = join(ssh.files, `mark-${randomUUID()}`);
    const first = await watch(h.db, path);
    expect(first.restored).toBe(false);
    await note(h.db, 'two');
    await first.note();
    expect(JSON.parse(readFileSync(path, 'utf8'))).toMatchObject({ place: 3 });
    expect((await watch(h.db, path)).restored).toBe(false);
  });

  it('shows a database that is replaced meanwhile', async () => {
    const h = await house();
    await note(h.db, 'one');
    const opened = await watch(h.db, join(ssh.files, `mark-${randomUUID()}`));
    await h.db.transaction(async (tx) => {
      await tx.execute(sql`set local session_replication_role = replica`);
      await tx.execute(sql`delete from audit_chain`);
    });
    await expect(opened.note()).rejects.toBeInstanceOf(DatabaseReplaced);
    await h.db.execute(sql`insert into audit_chain values (1, 1, 'x', 'y')`);
    await expect(opened.note()).rejects.toBeInstanceOf(DatabaseReplaced);
  });

  it('that cannot be read lets nothing start', async () => {
    const h = await house();
    const path = join(ssh.files, `mark-${randomUUID()}`);
    writeFileSync(path, '{"place": "seven"}');
    await expect(watch(h.db, path)).rejects.toThrow(/it holds no mark.*remove that file/);
  });
});
