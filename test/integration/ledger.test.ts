import { randomUUID } from 'node:crypto';
import { type SQL, sql } from 'drizzle-orm';
import { describe, expect, it } from 'vitest';
import { audit } from '../../shared/db/audit.ts';
import type { Db } from '../../shared/db/client.ts';
import { ledgerHead, walkLedger } from '../../shared/db/ledger.ts';
import { agentSessions, executions } from '../../shared/db/schema.ts';
import { lockTask } from '../../shared/db/tasks.ts';
import { decide } from '../../shared/decide.ts';
import { propose } from '../../shared/propose.ts';
import { callKey, type House, house, OPERATOR, warmUp } from '../support/house.ts';

const at = new Date('2026-06-01T12:00:00.123Z');

async function write(db: Db, kind: string, data: Record<string, unknown> = {}): Promise<void> {
  await db.transaction((tx) => audit(tx, { at, kind, actor: 'tester', data }));
}

/** What a superuser can do whom no trigger stops. */
async function tamper(db: Db, ...statements: SQL[]): Promise<void> {
  await db.transaction(async (tx) => {
    await tx.execute(sql`set local session_replication_role = replica`);
    for (const statement of statements) await tx.execute(statement);
  });
}

/** The first event is the house's own: its room is put on the list. */
async function withEvents(count: number): Promise<House> {
  const h = await house();
  for (let n = 2; n <= count; n += 1) await write(h.db, `event.${n}`, { n, text: 'ä\u{1f600}"\\' });
  return h;
}

describe('the ledger', () => {
  it('is whole after all that the house writes, and its last hash is the head', async () => {
    const h = await withEvents(3);
    const place = await h.newTask();
    const wish = { target: 'lxc:web', command: 'systemctl restart nginx', purpose: 'a test' };
    const asked = await propose(h.proposeDeps, { ...place, callKey: callKey(), ...wish });
    expect(asked.kind).toBe('waiting');
    const [row] = await h.db.select().from(executions);
    const { rows } = await h.db.execute<{ id: string }>(sql`select id from approvals`);
    const yes = { approvalId: rows[0]?.id ?? '', decision: 'granted', by: OPERATOR } as const;
    await decide(h.decideDeps, { ...yes, how: 'words', words: 'yes', eventId: '$yes' });
    const walk = await walkLedger(h.db, 2);
    expect(walk).toMatchObject({ kind: 'whole', head: await ledgerHead(h.db) });
    const granted = await h.db.execute<{ event_id: string }>(
      sql`select event_id from audit_events where execution_id = ${row?.id} and kind = 'execution.granted'`,
    );
    expect(granted.rows).toEqual([{ event_id: '$yes' }]);
  });

  const broken: [string, SQL[], { place: number | null; trouble: RegExp }][] = [
    [
      'alters an event',
      [sql`update audit_events set actor = 'nobody' where kind = 'event.3'`],
      { place: 3, trouble: /is not what was written/ },
    ],
    [
      'alters the facts of an event',
      [sql`update audit_events set data = data || '{"n": 30}' where kind = 'event.3'`],
      { place: 3, trouble: /is not what was written/ },
    ],
    [
      'moves an event in time',
      [sql`update audit_events set at = at + interval '1 ms' where kind = 'event.3'`],
      { place: 3, trouble: /is not what was written/ },
    ],
    [
      'deletes an event',
      [sql`delete from audit_events where kind = 'event.3'`],
      { place: 3, trouble: /was deleted/ },
    ],
    [
      'deletes an event with its link',
      [
        sql`delete from audit_chain where event_seq = (select seq from audit_events where kind = 'event.3')`,
        sql`delete from audit_events where kind = 'event.3'`,
      ],
      { place: 4, trouble: /place 3 is missing/ },
    ],
    [
      'deletes it and closes the gap',
      [
        sql`delete from audit_chain where place = 3`,
        sql`delete from audit_events where kind = 'event.3'`,
        sql`update audit_chain set place = place - 1 where place = 4`,
        sql`update audit_chain set place = place - 1 where place = 5`,
      ],
      { place: 3, trouble: /does not follow/ },
    ],
    [
      'inserts an event',
      [sql`insert into audit_events (at, kind, actor) values (oikos_now(), 'event.6', 'tester')`],
      { place: null, trouble: /is not in the chain/ },
    ],
    [
      'inserts an event between two others',
      [
        sql`insert into audit_events (seq, at, kind, actor) values (900, oikos_now(), 'x', 'tester')`,
        sql`update audit_chain set place = place + 100 where place > 2`,
        sql`update audit_chain set place = place - 99 where place > 2`,
        sql`insert into audit_chain select 3, 900, hash, hash from audit_chain where place = 2`,
      ],
      { place: 3, trouble: /event 900 is not what was written/ },
    ],
    [
      'swaps two events',
      [
        sql`update audit_chain set event_seq = event_seq + 1000 where place in (2, 3)`,
        sql`update audit_chain c set event_seq = o.event_seq - 1000 from audit_chain o
          where (c.place = 2 and o.place = 3)`,
        sql`update audit_chain set event_seq = (select min(seq) + 1 from audit_events) where place = 3`,
      ],
      { place: 2, trouble: /is not what was written/ },
    ],
  ];
  it.each(broken)('names the row when somebody %s', async (_deed, statements, wanted) => {
    const h = await withEvents(5);
    await tamper(h.db, ...statements);
    expect(await walkLedger(h.db, 2)).toEqual({
      kind: 'broken',
      place: wanted.place,
      trouble: expect.stringMatching(wanted.trouble),
    });
  });

  it.each([
    ['an event', sql`update audit_events set actor = 'x'`, 'audit_events'],
    ['a link', sql`update audit_chain set hash = 'x'`, 'audit_chain'],
    ['all links', sql`truncate audit_chain`, 'audit_chain'],
    ['the last link', sql`delete from audit_chain`, 'audit_chain'],
  ])('lets nobody change %s', async (_what, statement, table) => {
    const h = await withEvents(1);
    await expect(h.db.execute(statement)).rejects.toMatchObject({
      cause: { message: `${table} is append-only` },
    });
  });

  it('is one chain however many write at once, and nothing of what was rolled back', async () => {
    const h = await house();
    await warmUp(h.db, 12);
    const writer = async (who: number) => {
      for (let n = 0; n < 10; n += 1) {
        await h.db
          .transaction(async (tx) => {
            await audit(tx, { at, kind: `w${who}`, actor: 'tester', data: { n } });
            await audit(tx, { at, kind: `w${who}`, actor: 'tester', data: { n, second: true } });
            if (n % 5 === 4) throw new Error('rolled back');
          })
          .catch(() => undefined);
      }
    };
    await Promise.all(Array.from({ length: 20 }, (_none, who) => writer(who)));
    expect(await walkLedger(h.db)).toMatchObject({ kind: 'whole', events: 20 * 8 * 2 + 1 });
  });

  it('takes part in no deadlock: who writes early and locks late meets who locks early', async () => {
    const h = await house();
    await warmUp(h.db, 4);
    const { taskId } = await h.newTask();
    const lockLate = h.db.transaction(async (tx) => {
      await audit(tx, { at, kind: 'early', actor: 'tester' });
      await tx.execute(sql`select pg_sleep(0.3)`);
      await lockTask(tx, taskId);
    });
    const lockEarly = h.db.transaction(async (tx) => {
      await lockTask(tx, taskId);
      await tx.execute(sql`select pg_sleep(0.6)`);
      await audit(tx, { at, kind: 'late', actor: 'tester' });
    });
    await Promise.all([lockLate, lockEarly]);
    expect(await walkLedger(h.db)).toMatchObject({ kind: 'whole', events: 2 + 1 });
    expect(await h.db.select().from(agentSessions)).toHaveLength(1);
  });

  it('of very many events is walked whole', async () => {
    const h = await house();
    await h.db.execute(sql`
      insert into audit_events (at, kind, actor, execution_id, data)
      select oikos_now(), 'bulk', 'tester', ${randomUUID()}::uuid, jsonb_build_object('n', n)
      from generate_series(1, 20000) n`);
    expect(await walkLedger(h.db)).toMatchObject({ kind: 'whole', events: 20_000 + 1 });
  }, 120_000);
});
