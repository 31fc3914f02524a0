import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eq, type SQL, sql } from 'drizzle-orm';
import { afterAll, expect, it, onTestFinished } from 'vitest';
import { judgeStart } from '../../daemon/claim.ts';
import type { Db } from '../../shared/db/client.ts';
import { advance } from '../../shared/db/executions.ts';
import { DatabaseReplaced, type LedgerWatch, watchLedger } from '../../shared/db/ledger-watch.ts';
import { executions, outbox } from '../../shared/db/schema.ts';
import { revokeWindows } from '../../shared/db/windows.ts';
import { lockOperator } from '../../shared/lock-operator.ts';
import { testClaimer } from '../support/claimer.ts';
import { grantedRows } from '../support/granted-rows.ts';
import { type House, house, OPERATOR } from '../support/house.ts';

const dir = mkdtempSync(join(tmpdir(), 'altered-ledger-'));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

async function watch(db: Db, path = join(dir, randomUUID())): Promise<LedgerWatch> {
  const quiet = { onReplaced: () => undefined, onError: () => undefined };
  const opened = await watchLedger({ db, path, actor: 'daemon', ...quiet });
  onTestFinished(() => opened.close());
  return opened;
}

/** Whoever owns the tables can switch their triggers off. */
async function rewrite(h: House, statement: SQL): Promise<void> {
  await h.db.execute(sql`alter table audit_events disable trigger all`);
  await h.db.execute(statement);
  await h.db.execute(sql`alter table audit_events enable trigger all`);
}

it('what the ledger told a daemon once holds when both its row and its event are taken away', async () => {
  const { h, id, underWindow } = await grantedRows();
  const ledger = await watch(h.db);
  const { taskId } = (await h.db.select().from(executions).where(eq(executions.id, id)))[0] ?? {};
  await h.db.transaction((tx) => revokeWindows(tx, taskId ?? '', new Date(), OPERATOR));
  await h.db.transaction((tx) =>
    advance(tx, id, 'cancelled', { actor: OPERATOR, now: new Date() }),
  );
  await ledger.note();
  await rewrite(
    h,
    sql`delete from audit_events where kind in ('window.closed', 'execution.cancelled')`,
  );
  await h.db.execute(sql`update windows set revoked_at = null`);
  await h.db.execute(sql`update executions set status = 'approved', ended_at = null`);
  const claimer = testClaimer({ tellsEnd: ledger.memory.tellsEnd });
  expect(await judgeStart(h.db, id, claimer)).toMatchObject({
    row: { reason: 'it was started or ended before, and nothing starts twice' },
  });
  expect(await judgeStart(h.db, underWindow, claimer)).toMatchObject({
    row: { reason: 'the window it was to run under is closed' },
  });
});

it.each<[string, SQL]>([
  ['takes a lock out of it', sql`delete from audit_events where kind = 'person.locked'`],
  [
    'turns the lock of one person into that of another',
    sql`update audit_events set data = '{"person":"@x:test"}' where kind = 'person.locked'`,
  ],
  [
    'unlists a room',
    sql`update audit_events set kind = 'room.unlisted' where kind = 'room.listed'`,
  ],
])('a daemon that runs starts nothing more when somebody %s', async (_deed, statement) => {
  const h = await house();
  await lockOperator(h.decideDeps, OPERATOR, { by: 'cli:op' });
  const ledger = await watch(h.db);
  await ledger.note();
  await rewrite(h, statement);
  await expect(ledger.note()).rejects.toThrow(DatabaseReplaced);
});

it('a start that finds something taken out of the ledger ends all that is open, and tells it once', async () => {
  const { h, id, underWindow } = await grantedRows();
  const path = join(dir, randomUUID());
  const other = await watch(h.db, path);
  expect(other.restored).toBe(false);
  await rewrite(h, sql`delete from audit_events where kind = 'execution.asked'`);
  expect((await watch(h.db, path)).restored).toBe(true);
  for (const one of [id, underWindow]) {
    const [row] = await h.db.select().from(executions).where(eq(executions.id, one));
    expect(row).toMatchObject({
      status: 'expired',
      reason: 'the ledger in the database was altered',
    });
  }
  // The process that ran all the time goes on with the mark, and forgets nothing of it.
  await lockOperator(h.decideDeps, OPERATOR, { by: 'cli:op' });
  await other.note();
  expect((await watch(h.db, path)).restored).toBe(false);
  const told = await h.db.select().from(outbox).where(eq(outbox.type, 'room.say'));
  expect(told).toHaveLength(1);
  expect(told[0]?.data['text']).toMatch(
    /^Somebody took something out of the ledger in the database, or changed it \(place \d+: event \d+ was deleted\)\. So I start nothing from it: expired 3, lost 0, windows closed 2, rules revoked 0\. Look at who is locked/,
  );
});
