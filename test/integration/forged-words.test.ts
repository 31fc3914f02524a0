import { eq, type SQL, sql } from 'drizzle-orm';
import { expect, it } from 'vitest';
import { watchForTampering } from '../../bot/conversation/tampering.ts';
import { refreshCard } from '../../bot/telling/card-content.ts';
import { isLocked, unlockPerson } from '../../shared/db/locks.ts';
import { isListed, listRoom, unlistRoom } from '../../shared/db/rooms.ts';
import { approvals, auditEvents, outbox } from '../../shared/db/schema.ts';
import { createToken, operatorOfToken, revokeToken } from '../../shared/db/tokens.ts';
import { decide } from '../../shared/decide.ts';
import { lockOperator } from '../../shared/lock-operator.ts';
import { propose } from '../../shared/propose.ts';
import { callKey, type House, house, OPERATOR, ROOM, STRANGER, VIEWER } from '../support/house.ts';
import { testSeals } from '../support/seals.ts';
import { type Talk, withCard } from '../support/talk.ts';

/** An event in the inbox by whoever writes to Postgres, with the seal that it is given. */
const forged = (content: object, more: { sender?: string; type?: string; seal?: SQL } = {}) => sql`
  insert into matrix_inbox (event_id, room_id, sender, type, content, origin_ts, received_at, status, seal)
  values ('$' || gen_random_uuid(), ${ROOM}, ${more.sender ?? OPERATOR},
    ${more.type ?? 'm.room.message'}, ${JSON.stringify(content)}::jsonb, oikos_now(), oikos_now(),
    'new', ${more.seal ?? sql`null`})`;
const yes = { msgtype: 'm.text', body: 'yes' };
const OF_OPERATOR = sql`(select seal from matrix_inbox where sender = ${OPERATOR} order by seq limit 1)`;

const words: readonly [string, (card: string) => SQL][] = [
  ['says yes as the operator', () => forged(yes)],
  ['copies the seal of other words', () => forged(yes, { seal: OF_OPERATOR })],
  [
    'says yes by number, as a reply',
    (card) =>
      forged({ ...yes, body: 'yes #1', 'm.relates_to': { 'm.in_reply_to': { event_id: card } } }),
  ],
  [
    'reacts as the operator',
    (card) =>
      forged(
        { 'm.relates_to': { rel_type: 'm.annotation', event_id: card, key: '👍' } },
        { type: 'm.reaction' },
      ),
  ],
  ['gives a command', () => forged({ msgtype: 'm.text', body: '!oikos approve 1' })],
  [
    'turns what the operator said into a yes',
    () =>
      sql`update matrix_inbox set status = 'new', content = ${JSON.stringify(yes)}::jsonb where sender = ${OPERATOR}`,
  ],
  [
    "turns a viewer's yes into the operator's",
    () =>
      sql`update matrix_inbox set status = 'new', sender = ${OPERATOR} where sender = ${VIEWER}`,
  ],
];

async function stillWaits(t: Talk, deed: string): Promise<void> {
  await t.settled();
  expect((await t.execution(1)).status, deed).toBe('pending_approval');
  expect(t.rung, deed).toEqual([]);
}

it('words that no homeserver brought decide nothing, and the room hears of them once', async () => {
  const t = await withCard();
  await t.say('yes', { sender: VIEWER });
  const { cardEvent } = await t.execution(1);
  for (const [deed, attack] of words) {
    await t.db.execute(attack(cardEvent ?? ''));
    await t.event({ sender: STRANGER, content: {} });
    await stillWaits(t, deed);
  }
  const altered = eq(auditEvents.kind, 'database.altered');
  expect(await t.db.$count(auditEvents, altered)).toBeGreaterThanOrEqual(words.length);
  expect(t.texts().filter((text) => /wrote to the database past me/.test(text))).toEqual([
    'Somebody wrote to the database past me: messages that no homeserver brought; none of them counts. Look who has access to it; `oikos audit verify` looks at the ledger.',
  ]);
  // The operator's own yes counts as ever.
  await t.say('yes #1');
  await t.settled();
  expect((await t.execution(1)).status).toBe('approved');
});

it('an old yes that is heard again decides nothing of a newer card', async () => {
  const t = await withCard();
  await t.say('no #1');
  await t.settled();
  const old = await t.say('yes #2');
  await t.settled();
  await t.say('restart nginx');
  await t.settled();
  expect((await t.execution(2)).status).toBe('pending_approval');
  // As if the card had been shown before those words, which nobody has heard yet.
  await t.db.execute(
    sql`update approvals set shown_seq = 0, card_seq = 0, shown_ts = to_timestamp(0)`,
  );
  await t.db.execute(sql`update matrix_inbox set status = 'new' where event_id = ${old}`);
  await t.event({ sender: STRANGER, content: {} });
  await t.settled();
  expect(await t.execution(2)).toMatchObject({ status: 'pending_approval', authorization: null });
  expect(t.rung).toEqual([]);
  expect(t.texts()).toContainEqual(
    expect.stringMatching(/^#2: your words are older than the card by the database's clock/),
  );
});

it('an old yes that the sync brings once more decides nothing of a newer card', async () => {
  const t = await withCard();
  await t.db.execute(sql`update approvals set shown_seq = 0, shown_ts = to_timestamp(0)`);
  // Its row was taken away and the place in the sync set back: the homeserver tells it again.
  await t.say('yes #1', { at: new Date(Date.now() - 10 * 60_000) });
  await t.settled();
  // A homeserver with a slow clock brings a true yes just so: it is told, and denies nothing.
  expect(await t.execution(1)).toMatchObject({ status: 'pending_approval', authorization: null });
  expect(t.rung).toEqual([]);
  expect(t.texts()).toContainEqual(
    expect.stringMatching(/older than the card by your server's clock \(1\d min behind\)/),
  );
  const ignored = eq(auditEvents.kind, 'decision.ignored');
  expect(await t.db.$count(auditEvents, ignored)).toBe(1);
});

it('a card that is made older than it is takes no yes', async () => {
  const h = await house();
  const place = await h.newTask();
  const wish = { target: 'lxc:web', command: 'systemctl restart nginx', purpose: '' };
  await propose(h.proposeDeps, { ...place, callKey: callKey(), ...wish });
  await h.db.execute(sql`update approvals set created_at = created_at - interval '1 hour'`);
  const [card] = await h.db.select().from(approvals);
  const yes = { approvalId: card?.id ?? '', decision: 'granted', by: OPERATOR } as const;
  expect(await decide(h.decideDeps, { ...yes, how: 'words', words: 'yes' })).toEqual({
    kind: 'altered',
  });
});

it('a card shows nothing of a row that was changed since it was proposed', async () => {
  const t = await withCard();
  const shown = async () => {
    await refreshCard(t.tellDeps, await t.execution(1), `t${t.sent.length}`);
    return t.sent.at(-1)?.content.body;
  };
  const honest = await shown();
  expect(honest).toContain('systemctl restart nginx');
  await t.db.execute(sql`update executions set command = 'systemctl status nginx'`);
  expect(await shown()).toBe(
    '#1 was changed in the database since it was proposed\nIt is not shown, no answer counts for it, and nothing runs. Run `oikos audit verify`.',
  );
  await t.db.execute(sql`update executions set command = 'systemctl restart nginx'`);
  expect(await shown()).toBe(honest);
});

interface Refuge {
  readonly h: House;
  readonly refused: () => Promise<boolean>;
}

async function told(h: House): Promise<string[]> {
  const look = watchForTampering(h.db, testSeals);
  await look();
  await watchForTampering(h.db, testSeals)();
  const said = await h.db.select().from(outbox).where(eq(outbox.type, 'room.say'));
  return said.map(({ data }) => String(data['text'])).filter((text) => /past me/.test(text));
}

const WAYS: readonly [string, () => Promise<Refuge>, RegExp | undefined][] = [
  [
    'a lock that was taken away',
    async () => {
      const h = await house();
      await lockOperator(h.decideDeps, OPERATOR, { by: 'cli:op' });
      await h.db.execute(sql`delete from locks`);
      return { h, refused: () => isLocked(h.db, OPERATOR, testSeals) };
    },
    /the lock of @op:oikos.test taken away without "oikos unlock"; it holds/,
  ],
  [
    'an unlocking that nobody sealed',
    async () => {
      const h = await house();
      await lockOperator(h.decideDeps, OPERATOR, { by: 'cli:op' });
      await h.db.execute(sql`delete from locks`);
      await h.db.execute(
        sql`insert into audit_events (at, kind, actor, data) values (oikos_now(), 'person.unlocked', 'cli:op', ${JSON.stringify({ person: OPERATOR, seal: 't1.x' })}::jsonb)`,
      );
      return { h, refused: () => isLocked(h.db, OPERATOR, testSeals) };
    },
    /the lock of @op:oikos.test/,
  ],
  [
    'an earlier unlocking, told again',
    async () => {
      const h = await house();
      await lockOperator(h.decideDeps, OPERATOR, { by: 'cli:op' });
      await unlockPerson(h.db, testSeals, OPERATOR, 'cli:op');
      expect(await isLocked(h.db, OPERATOR, testSeals)).toBe(false);
      await lockOperator(h.decideDeps, OPERATOR, { by: 'cli:op' });
      await h.db.execute(sql`delete from locks`);
      await h.db.execute(
        sql`insert into audit_events (at, kind, actor, data) select at, kind, actor, data from audit_events where kind = 'person.unlocked'`,
      );
      return { h, refused: () => isLocked(h.db, OPERATOR, testSeals) };
    },
    /the lock of @op:oikos.test/,
  ],
  [
    'a lock whose row somebody had put there before',
    async () => {
      const h = await house();
      await h.db.execute(sql`insert into locks values (${OPERATOR}, 'cli:op', oikos_now())`);
      await lockOperator(h.decideDeps, OPERATOR, { by: 'cli:op' });
      await h.db.execute(sql`delete from locks`);
      return { h, refused: () => isLocked(h.db, OPERATOR, testSeals) };
    },
    /the lock of @op:oikos.test/,
  ],
  [
    'a room that somebody put on the list',
    async () => {
      const h = await house();
      await h.db.execute(
        sql`insert into rooms (room_id, listed_at, listed_by, seal) select '!evil:test', listed_at, listed_by, seal from rooms`,
      );
      await h.db.execute(
        sql`insert into audit_events (at, kind, actor, data) select at, kind, actor, '{"roomId":"!evil:test"}' from audit_events where kind = 'room.listed'`,
      );
      return { h, refused: async () => !(await isListed(h.db, '!evil:test', testSeals)) };
    },
    /room !evil:test on the operators' list without "oikos room add"/,
  ],
  [
    'a room that somebody put back on the list',
    async () => {
      const h = await house();
      await listRoom(h.db, testSeals, '!old:test', 'cli:op');
      await h.db.execute(sql`create table kept as select * from rooms`);
      await unlistRoom(h.db, '!old:test', 'cli:op');
      await h.db.execute(
        sql`update rooms r set listed_at = k.listed_at, listed_by = k.listed_by, seal = k.seal from kept k where k.room_id = r.room_id`,
      );
      expect(await isListed(h.db, ROOM, testSeals)).toBe(true);
      return { h, refused: async () => !(await isListed(h.db, '!old:test', testSeals)) };
    },
    /room !old:test/,
  ],
  [
    'a room that was taken off the list while somebody had emptied its row',
    async () => {
      const h = await house();
      await listRoom(h.db, testSeals, '!old:test', 'cli:op');
      await h.db.execute(sql`create table kept as select * from rooms`);
      await h.db.execute(sql`update rooms set listed_at = null where room_id = '!old:test'`);
      expect(await unlistRoom(h.db, '!old:test', 'cli:op')).toBe(true);
      expect(await unlistRoom(h.db, '!old:test', 'cli:op')).toBe(false);
      await h.db.execute(
        sql`update rooms r set listed_at = k.listed_at, listed_by = k.listed_by, seal = k.seal from kept k where k.room_id = r.room_id`,
      );
      return { h, refused: async () => !(await isListed(h.db, '!old:test', testSeals)) };
    },
    /room !old:test/,
  ],
  [
    'a token that was revoked while somebody had ended its row',
    async () => {
      const h = await house();
      const token = await createToken(h.db, testSeals, OPERATOR, 'cli:op');
      const { rows } = await h.db.execute<{ id: string }>(sql`select id from api_tokens`);
      await h.db.execute(sql`update api_tokens set revoked_at = oikos_now()`);
      expect(await revokeToken(h.db, rows[0]?.id ?? '', 'cli:op')).toBe(true);
      expect(await revokeToken(h.db, rows[0]?.id ?? '', 'cli:op')).toBe(false);
      await h.db.execute(sql`update api_tokens set revoked_at = null`);
      return { h, refused: async () => !(await operatorOfToken(h.db, testSeals, token)) };
    },
    /token \S+ of @op:oikos.test/,
  ],
  [
    'a token that somebody made',
    async () => {
      const h = await house();
      await h.db.execute(
        sql`insert into api_tokens (operator, hash, created_at) values (${OPERATOR}, encode(sha256('mine'), 'hex'), oikos_now())`,
      );
      return { h, refused: async () => !(await operatorOfToken(h.db, testSeals, 'mine')) };
    },
    /token \S+ of @op:oikos.test, which is not valid/,
  ],
  [
    "a viewer's token, turned into an operator's",
    async () => {
      const h = await house();
      const token = await createToken(h.db, testSeals, VIEWER, 'cli:op');
      expect(await operatorOfToken(h.db, testSeals, token)).toBe(VIEWER);
      await h.db.execute(sql`update api_tokens set operator = ${OPERATOR}`);
      return { h, refused: async () => !(await operatorOfToken(h.db, testSeals, token)) };
    },
    /token \S+ of @op:oikos.test/,
  ],
  [
    'a token that was revoked, made valid again',
    async () => {
      const h = await house();
      const token = await createToken(h.db, testSeals, OPERATOR, 'cli:op');
      const { rows } = await h.db.execute<{ id: string }>(sql`select id from api_tokens`);
      await revokeToken(h.db, rows[0]?.id ?? '', 'cli:op');
      await h.db.execute(sql`update api_tokens set revoked_at = null`);
      return { h, refused: async () => !(await operatorOfToken(h.db, testSeals, token)) };
    },
    /token \S+ of @op:oikos.test/,
  ],
  [
    'a clock that somebody moved',
    async () => {
      const h = await house();
      await h.db.execute(sql`insert into clock_offset values (-60000)`);
      return { h, refused: async () => true };
    },
    /somebody moved the clock in the database \(clock_offset\); nothing starts/,
  ],
];

it.each(WAYS)('%s gives nobody a say, and is told once', async (_deed, way, line) => {
  const { h, refused } = await way();
  expect(await refused()).toBe(true);
  expect(await told(h)).toEqual([expect.stringMatching(line ?? /./)]);
});

it('what nobody could be told stays to be told', async () => {
  const h = await house();
  await lockOperator(h.decideDeps, OPERATOR, { by: 'cli:op' });
  await h.db.execute(sql`delete from locks`);
  await unlistRoom(h.db, ROOM, 'cli:op');
  expect(await told(h)).toEqual([]);
  await listRoom(h.db, testSeals, ROOM, 'cli:op');
  expect(await told(h)).toEqual([expect.stringMatching(/the lock of @op:oikos.test/)]);
});

it('a lock that is said again keeps who said it first', async () => {
  const h = await house();
  await lockOperator(h.decideDeps, VIEWER, { by: 'cli:op' });
  await lockOperator(h.decideDeps, VIEWER, { by: 'cli:other' });
  const { rows } = await h.db.execute(sql`select locked_by from locks`);
  expect(rows).toEqual([{ locked_by: 'cli:op' }]);
});

it('nothing is told of a house that is as Oikos wrote it', async () => {
  const h = await house();
  await createToken(h.db, testSeals, OPERATOR, 'cli:op');
  await lockOperator(h.decideDeps, VIEWER, { by: 'cli:op' });
  await lockOperator(h.decideDeps, OPERATOR, { by: 'cli:op' });
  expect(await unlockPerson(h.db, testSeals, OPERATOR, 'cli:op')).toBe(true);
  await h.moveClock(60);
  expect(await told(h)).toEqual([]);
  expect(await isLocked(h.db, OPERATOR, testSeals)).toBe(false);
});
