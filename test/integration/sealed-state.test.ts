import { and, eq, type SQL, sql } from 'drizzle-orm';
import { expect, it } from 'vitest';
import { type Judged, judgeStart } from '../../daemon/claim.ts';
import { createPreviewer } from '../../daemon/preview.ts';
import type { Reservation } from '../../daemon/ssh/transport.ts';
import type { Db, Tx } from '../../shared/db/client.ts';
import { readNow } from '../../shared/db/clock.ts';
import { lockExecution } from '../../shared/db/executions.ts';
import { auditEvents, executions, outbox } from '../../shared/db/schema.ts';
import { lockTask } from '../../shared/db/tasks.ts';
import { createLog } from '../../shared/log.ts';
import { propose } from '../../shared/propose.ts';
import { settleProposal } from '../../shared/settle.ts';
import { testClaimer } from '../support/claimer.ts';
import { type GrantedRows, grantedRows } from '../support/granted-rows.ts';
import { callKey, house } from '../support/house.ts';
import { testSeals } from '../support/seals.ts';

const CLAIMER = testClaimer();

function start(db: Db, id: string): Promise<Judged> {
  return judgeStart(db, id, CLAIMER);
}

const onRow = (set: SQL) => (at: GrantedRows) =>
  sql`update executions set ${set} where id = ${at.id}`;
const onWindow = (set: SQL) => () => sql`update windows set ${set}`;
const onWeb = (attributes: string) => () =>
  sql`update entities set attributes = attributes || ${attributes}::jsonb where slug = 'lxc:web'`;
const onLab = (attributes: string) => () =>
  sql`update entities set attributes = attributes || ${attributes}::jsonb where slug = 'host:lab'`;
const CHANGED = /was not written by Oikos, or was changed since/;
const NO_FLEET = /is not in the fleet as the daemon wrote it/;
const NO_WINDOW = /was not opened by Oikos/;
const NO_WORD = /carries no operator's word/;

type Attack = readonly [
  string,
  'id' | 'underWindow',
  (at: GrantedRows) => SQL | readonly SQL[],
  RegExp,
];

/** One writer in Postgres, each time from the same granted rows; triggers do not stop it. */
const attacks: readonly Attack[] = [
  ['gives it more time to run', 'id', onRow(sql`time_limit_ms = 7200000`), CHANGED],
  ['takes away that it may only ask', 'id', onRow(sql`only_ask = not only_ask`), CHANGED],
  ['gives it another number', 'id', onRow(sql`number = 99`), CHANGED],
  ['gives it to another site', 'id', onRow(sql`site = 'attic'`), CHANGED],
  [
    'gives it to another task',
    'id',
    (at) =>
      sql`update executions set task_id = (select task_id from executions where id = ${at.other}) where id = ${at.id}`,
    CHANGED,
  ],
  ['gives it the turn of somebody else', 'id', onRow(sql`turn_id = gen_random_uuid()`), CHANGED],
  ['says that somebody else asked', 'id', onRow(sql`requested_by = '@x:test'`), CHANGED],
  [
    'takes its objections away',
    'id',
    onRow(sql`risk = 'reversible_low'`),
    /counts as config_mutation now/,
  ],
  [
    'swaps the files that it was judged with',
    'id',
    onRow(sql`facts = '{"files":[],"lists":[]}'`),
    /not what was judged/,
  ],
  ['takes its guest away', 'id', onRow(sql`vmid = null`), /target is incomplete/],
  [
    'copies the seal of another',
    'id',
    (at) =>
      sql`update executions set seal = (select seal from executions where id = ${at.other}) where id = ${at.id}`,
    CHANGED,
  ],
  [
    'gives it the command of another, hash and seal with it',
    'id',
    (at) =>
      sql`update executions e set command = o.command, spec_hash = o.spec_hash, seal = o.seal from executions o where o.id = ${at.other} and e.id = ${at.id}`,
    CHANGED,
  ],
  [
    'lets it run by the approval of another',
    'id',
    (at) =>
      sql`update executions set "authorization" = (select "authorization" from executions where id = ${at.other}) where id = ${at.id}`,
    /approval is not there/,
  ],
  [
    'lends it the card of another',
    'id',
    (at) => [
      sql`delete from approvals where execution_id = ${at.id}`,
      sql`update approvals set execution_id = ${at.id} where execution_id = ${at.other}`,
    ],
    /approval is not there/,
  ],
  [
    'removes its card',
    'id',
    (at) => sql`delete from approvals where execution_id = ${at.id}`,
    /approval is not there/,
  ],
  ['removes its decision', 'id', () => sql`delete from decisions`, NO_WORD],
  ['turns the decisions round', 'id', () => sql`update decisions set decision = 'denied'`, NO_WORD],
  [
    'copies the seal of another decision',
    'id',
    () => sql`update decisions d set seal = o.seal from decisions o where o.id <> d.id`,
    NO_WORD,
  ],
  [
    'moves the seal of the row into its decision',
    'id',
    (at) => sql`update decisions set seal = (select seal from executions where id = ${at.id})`,
    NO_WORD,
  ],
  ['says that it was typed', 'id', () => sql`update decisions set how = 'typed'`, NO_WORD],
  ['pins another host key', 'id', onLab('{"hostKey":"SHA256:x"}'), NO_FLEET],
  ['lowers a floor', 'id', onWeb('{"floor":"read_only"}'), NO_FLEET],
  ['moves the guest to another site', 'id', onWeb('{"site":"attic"}'), NO_FLEET],
  [
    'swaps two guests with their seals',
    'id',
    () =>
      sql`update entities e set attributes = o.attributes, seal = o.seal from entities o where e.slug in ('lxc:web', 'lxc:dns') and o.slug in ('lxc:web', 'lxc:dns') and o.slug <> e.slug`,
    /another machine/,
  ],
  [
    'removes the guest',
    'id',
    () => sql`delete from entities where slug = 'lxc:web'`,
    /no longer in the fleet/,
  ],
  [
    'turns the clock back',
    'id',
    () => sql`insert into clock_offset values (-86400000)`,
    /moved the clock/,
  ],
  [
    'turns the clock on',
    'id',
    () => sql`insert into clock_offset values (60000, 'k1.x')`,
    /moved the clock/,
  ],
  [
    'keeps a window open for longer',
    'underWindow',
    onWindow(sql`expires_at = expires_at + interval '1 day'`),
    NO_WINDOW,
  ],
  [
    'opens a window earlier',
    'underWindow',
    onWindow(sql`opened_at = opened_at - interval '1 day'`),
    NO_WINDOW,
  ],
  [
    'lets a window cover what was read since',
    'underWindow',
    onWindow(sql`covers_seq = 1000`),
    NO_WINDOW,
  ],
  [
    'says that another opened the window',
    'underWindow',
    onWindow(sql`opened_by = '@x:test'`),
    NO_WINDOW,
  ],
  ['takes the seal of the window away', 'underWindow', onWindow(sql`seal = null`), NO_WINDOW],
  ['removes the window', 'underWindow', () => sql`delete from windows`, /does not exist/],
];

/** What an attack leaves behind is taken back: each begins with the rows as they were granted. */
class TakenBack extends Error {}

it('nothing starts for whoever writes to Postgres, and each refusal is told once', async () => {
  const at = await grantedRows();
  await at.h.db.execute(sql`alter table decisions disable trigger all`);
  for (const [deed, which, attack, reason] of attacks) {
    const id = at[which];
    const attacked = at.h.db.transaction(async (tx) => {
      // A transaction in a transaction is a savepoint, and works like a database of its own.
      const db = tx as unknown as Db;
      for (const statement of [attack(at)].flat()) await tx.execute(statement);
      expect.soft(await start(db, id), deed).toMatchObject({
        kind: 'ended',
        row: { status: 'refused', startedAt: null, reason: expect.stringMatching(reason) },
      });
      expect.soft(await refusals(tx, id), deed).toBe(1);
      const told = await tx.select().from(outbox).where(eq(outbox.executionId, id));
      expect
        .soft(
          told.filter(({ type }) => type === 'execution.ended'),
          deed,
        )
        .toHaveLength(1);
      // Rung for again, it is refused no second time.
      expect.soft(await start(db, id), deed).toEqual({ kind: 'dropped' });
      throw new TakenBack();
    });
    await expect(attacked, deed).rejects.toThrow(TakenBack);
  }
});

function refusals(tx: Tx, id: string): Promise<number> {
  const ofIt = and(eq(auditEvents.executionId, id), eq(auditEvents.kind, 'execution.refused'));
  return tx.$count(auditEvents, ofIt);
}

it('all of it starts when nobody wrote to the database', async () => {
  const at = await grantedRows();
  for (const id of [at.id, at.other, at.underWindow]) {
    expect((await start(at.h.db, id)).kind).toBe('start');
  }
});

/** A proposal whose files a daemon is to look at, and a daemon that counts what it connects to. */
async function proposed() {
  const h = await house();
  const place = await h.newTask();
  const wish = { target: 'lxc:web', command: 'bash /root/tidy.sh', purpose: '' };
  const asked = await propose(h.proposeDeps, { ...place, callKey: callKey(), ...wish });
  if (asked.kind !== 'waiting') throw new Error(asked.kind);
  const { id } = asked.execution;
  const reached: string[] = [];
  const reserve = async (slug: string): Promise<Reservation> => {
    reached.push(slug);
    return { ok: false, trouble: { kind: 'unreachable', sentence: `${slug} is away` } };
  };
  const previewer = createPreviewer({
    db: h.db,
    transport: {
      reserve,
      reserveUnconnected: reserve,
      isConnected: () => false,
      close: () => undefined,
    },
    claimer: CLAIMER,
    redact: (text) => text,
    keepEnvOption: () => true,
    newNonce: () => 'nonce',
    log: createLog({ level: 'silent', name: 'test', secrets: [] }),
  });
  const row = async () => {
    const [found] = await h.db.select().from(executions).where(eq(executions.id, id));
    return found;
  };
  return { h, id, reached, row, look: () => previewer.look(id) };
}

it.each<[string, SQL]>([
  ['its target', sql`update entities set name = 'x' where slug = 'lxc:web'`],
  ['the host of its target', sql`update entities set seal = null where slug = 'host:lab'`],
  ['its command', sql`update executions set command = 'bash /root/other.sh'`],
  ['what it may use', sql`update executions set only_ask = true`],
])('no host is looked at for a proposal when somebody changed %s', async (_what, attack) => {
  const at = await proposed();
  await at.h.db.execute(attack);
  expect(await at.look()).toBe(true);
  expect(at.reached).toEqual([]);
  expect(await at.row()).toMatchObject({ status: 'denied', startedAt: null });
});

it('a host is looked at for a proposal that is as it was made', async () => {
  const at = await proposed();
  expect(await at.look()).toBe(true);
  expect(at.reached).toEqual(['host:lab']);
});

it('a command that is swapped while its files are looked at is not settled', async () => {
  const at = await proposed();
  const [before] = [await at.row()];
  if (!before) throw new Error('no row');
  await at.h.db.execute(sql`update executions set command = 'bash /root/other.sh'`);
  await at.h.db.transaction(async (tx) => {
    const task = await lockTask(tx, before.taskId);
    const row = await lockExecution(tx, at.id);
    if (!task) throw new Error('no task');
    const found = { files: [], lists: [] };
    const settling = { task, found, actor: 'd/1', now: await readNow(tx), from: 'daemon' } as const;
    await settleProposal(tx, row, { ...settling, seals: testSeals });
  });
  expect(await at.row()).toMatchObject({
    status: 'denied',
    reason: 'it was changed in the database since it was proposed',
  });
});
