import { sql } from 'drizzle-orm';
import { Client } from 'pg';
import { expect, it, onTestFinished } from 'vitest';
import { until } from '../../lab/services/until.ts';
import { connect } from '../../shared/db/client.ts';
import { holdLock, LockBusy } from '../../shared/db/lock.ts';
import { freshDatabase } from '../support/database.ts';

const takenBy = 'somebody else has it';

async function setup() {
  const { url } = await freshDatabase();
  const { db, close } = connect(url);
  onTestFinished(close);
  const take = async (more: { patienceMs?: number; retakeMs?: number } = {}) => {
    const heard: string[] = [];
    const lock = holdLock(url, 'nest', {
      takenBy,
      onWait: () => heard.push('waits'),
      onLost: (error) => heard.push(`lost: ${error.message}`),
      ...more,
    });
    lock.then(
      () => heard.push('has it'),
      () => undefined,
    );
    onTestFinished(() =>
      lock.then(
        (held) => held.release(),
        () => undefined,
      ),
    );
    return { heard, lock };
  };
  const sessions = async () => {
    const { rows } = await db.execute<{ pid: number }>(
      sql`select pid from pg_stat_activity where application_name = 'nest' order by backend_start`,
    );
    return rows.map(({ pid }) => pid);
  };
  /** A session connects a moment before it has the lock. */
  const holder = async () => {
    const { rows } = await db.execute<{ pid: number }>(
      sql`select a.pid from pg_stat_activity a join pg_locks l on l.pid = a.pid
          where a.application_name = 'nest' and l.locktype = 'advisory' and l.granted`,
    );
    return rows[0]?.pid;
  };
  const cut = (pid: number) => db.execute(sql`select pg_terminate_backend(${pid}::int)`);
  return { url, take, sessions, holder, cut };
}

it('is held by one at a time: a standby waits, says so once, and follows', async () => {
  const { take } = await setup();
  const first = await (await take()).lock;
  const second = await take();
  await until(async () => expect(second.heard).toEqual(['waits']));
  await new Promise((resolve) => setTimeout(resolve, 600));
  expect(second.heard).toEqual(['waits']);
  await first.release();
  await second.lock;
  expect(second.heard).toEqual(['waits', 'has it']);
});

it('is refused in words after the time that one is ready to wait', async () => {
  const { take } = await setup();
  await (await take()).lock;
  const { lock } = await take({ patienceMs: 300 });
  await expect(lock).rejects.toThrow(new LockBusy(takenBy));
});

it('is taken again after its connection broke', async () => {
  const { take, holder, cut } = await setup();
  const { heard, lock } = await take();
  await lock;
  const before = await holder();
  await cut(before ?? 0);
  await until(async () => {
    const now = await holder();
    expect(now).toBeDefined();
    expect(now).not.toBe(before);
  });
  await expect((await take({ patienceMs: 300 })).lock).rejects.toThrow(LockBusy);
  expect(heard).toEqual(['has it']);
});

it('is lost when somebody else was quicker', async () => {
  const { url, take, sessions, cut } = await setup();
  const { heard, lock } = await take({ retakeMs: 500 });
  await lock;
  const rival = new Client(url);
  await rival.connect();
  onTestFinished(() => rival.end());
  // Queued behind the holder, it gets the lock in the moment in which the holder's session ends.
  const queued = rival.query("select pg_advisory_lock(hashtextextended('nest', 0))");
  const [holder] = await sessions();
  await cut(holder ?? 0);
  await queued;
  await until(async () => expect(heard).toEqual(['has it', `lost: ${takenBy}`]));
});
