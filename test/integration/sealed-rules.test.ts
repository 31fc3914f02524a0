import { randomUUID } from 'node:crypto';
import { and, eq, sql } from 'drizzle-orm';
import { describe, expect, it } from 'vitest';
import { type Judged, judgeStart } from '../../daemon/claim.ts';
import { liveRules, markOffered, renewRuleSeals, standingRule } from '../../shared/db/rules.ts';
import { auditEvents, outbox, rules } from '../../shared/db/schema.ts';
import { ruleContent } from '../../shared/domain/rule.ts';
import { propose } from '../../shared/propose.ts';
import { allowAlways, confirmRule, revokeAllRules, revokeRule } from '../../shared/rules.ts';
import { createSealer } from '../../shared/seal.ts';
import { testClaimer } from '../support/claimer.ts';
import { callKey, type House, house, OPERATOR, ROOM } from '../support/house.ts';
import { testSeals } from '../support/seals.ts';

const target = 'lxc:web';
const command = 'systemctl restart nginx';

/** A rule for the command as an operator's words make it, shown and not confirmed yet. */
async function offered(h: House, dailyCap: number) {
  const wish = { agent: 'nomos', roomId: ROOM, by: OPERATOR, eventId: randomUUID(), dailyCap };
  const answer = await allowAlways(h.decideDeps, wish, { command, target });
  if (answer.kind !== 'offered') throw new Error(JSON.stringify(answer));
  const { id, number } = answer.rule;
  await h.db.transaction((tx) => markOffered(tx, id, 1));
  const said = { number, by: OPERATOR, roomId: ROOM, eventId: '$yes', seq: 2 };
  return { id, number, confirm: () => confirmRule(h.decideDeps, said) };
}

/** A house with a confirmed rule R1. */
async function ruled(dailyCap = 6): Promise<House> {
  const h = await house();
  const rule = await offered(h, dailyCap);
  expect((await rule.confirm()).kind).toBe('allowed');
  return h;
}

/** Proposes the command, or another, in a task of its own; the rule must let it run. */
async function granted(h: House, other = command): Promise<string> {
  const place = await h.newTask();
  const wish = { target, command: other, purpose: 'a test' };
  const answer = await propose(h.proposeDeps, { ...place, callKey: callKey(), ...wish });
  if (answer.kind !== 'started') throw new Error(answer.kind);
  return answer.execution.id;
}

function start(h: House, id: string, seals = testSeals): Promise<Judged> {
  return judgeStart(h.db, id, testClaimer({ seals }));
}

const notAsAllowed = 'the rule it was to run by is not as an operator allowed it';
const alter = (change: string) => (h: House) =>
  h.db.execute(sql.raw(`update standing_rules set ${change}`));

const forgeries: [string, () => Promise<{ h: House; id: string }>, string | RegExp][] = [
  [
    'writes a rule',
    async () => {
      const h = await house();
      const rule = await offered(h, 6);
      await alter("allowed_at = now(), confirmed_event = '$forged'")(h);
      await h.db.execute(sql`update standing_rules set seal = null where id = ${rule.id}`);
      return { h, id: await granted(h) };
    },
    notAsAllowed,
  ],
  [
    'confirms a rule that was only shown',
    async () => {
      const h = await house();
      await offered(h, 6);
      await alter("allowed_at = now(), confirmed_event = '$forged'")(h);
      return { h, id: await granted(h) };
    },
    notAsAllowed,
  ],
  [
    'gives a revoked rule another id',
    async () => {
      const h = await ruled();
      await revokeRule(h.db, { number: 1, by: OPERATOR });
      await alter(`id = '${randomUUID()}', revoked_at = null, revoked_by = null`)(h);
      return { h, id: await granted(h) };
    },
    notAsAllowed,
  ],
  [
    'raises its cap',
    async () => {
      const h = await ruled(1);
      await granted(h);
      await alter('daily_cap = 24')(h);
      return { h, id: await granted(h) };
    },
    notAsAllowed,
  ],
  [
    'gives it another command',
    async () => {
      const h = await ruled();
      await alter(`argv = '["systemctl", "restart", "php-fpm"]'`)(h);
      return { h, id: await granted(h, 'systemctl restart php-fpm') };
    },
    notAsAllowed,
  ],
  [
    'takes its revocation away',
    async () => {
      const h = await ruled();
      await revokeRule(h.db, { number: 1, by: OPERATOR });
      await alter('revoked_at = null, revoked_by = null')(h);
      return { h, id: await granted(h) };
    },
    'R1 was revoked',
  ],
  ...(['one', 'all'] as const).map((which): (typeof forgeries)[number] => [
    `ends it before the operator revokes ${which}, and takes that away`,
    async () => {
      const h = await ruled();
      await alter('revoked_at = oikos_now()')(h);
      if (which === 'one') await revokeRule(h.db, { number: 1, by: OPERATOR });
      else await h.db.transaction((tx) => revokeAllRules(tx, { by: OPERATOR, now: new Date() }));
      await alter('revoked_at = null, revoked_by = null')(h);
      return { h, id: await granted(h) };
    },
    'R1 was revoked',
  ]),
  [
    'hides its uses',
    async () => {
      const h = await ruled(1);
      const first = await granted(h);
      await h.db.execute(sql`update executions set "authorization" = null where id = ${first}`);
      return { h, id: await granted(h) };
    },
    /^R1 was used 1 times/,
  ],
];

describe('a rule lets nothing run for whoever', () => {
  it.each(forgeries)('%s in the database', async (_deed, forged, reason) => {
    const { h, id } = await forged();
    expect(await start(h, id)).toMatchObject({
      kind: 'ended',
      row: {
        status: 'refused',
        startedAt: null,
        reason: typeof reason === 'string' ? reason : expect.stringMatching(reason),
      },
    });
    const refusals = and(
      eq(auditEvents.executionId, id),
      eq(auditEvents.kind, 'execution.refused'),
    );
    expect(await h.db.select().from(auditEvents).where(refusals)).toHaveLength(1);
    const told = await h.db.select().from(outbox).where(eq(outbox.executionId, id));
    expect(told.map(({ type }) => type)).toContain('execution.ended');
  });

  it('altered it between its showing and its sentence', async () => {
    const h = await house();
    const rule = await offered(h, 1);
    await alter('daily_cap = 24')(h);
    expect(await rule.confirm()).toEqual({
      kind: 'refused',
      reason: 'R1 was changed since it was shown',
    });
  });
});

it('a rule that is as the operator allowed it lets its command run', async () => {
  const h = await ruled();
  expect((await start(h, await granted(h))).kind).toBe('start');
});

it('a rule that lost its guest is refused where it is met, and breaks nothing', async () => {
  const h = await ruled();
  const id = await granted(h);
  await alter('vmid = null')(h);
  await renewRuleSeals(h.db, testSeals);
  expect(await start(h, id)).toMatchObject({
    kind: 'ended',
    row: { status: 'refused', reason: expect.stringMatching(/^R1 was made for another machine/) },
  });
  const place = await h.newTask();
  const again = { ...place, callKey: callKey(), target, command, purpose: 'a test' };
  expect((await propose(h.proposeDeps, again)).kind).toBe('waiting');
  expect(await liveRules(h.db, new Date())).toHaveLength(1);
  expect((await revokeRule(h.db, { number: 1, by: OPERATOR })).kind).toBe('revoked');
});

it('a rule outlives the key that it was sealed with, a forged one does not gain by it', async () => {
  const h = await ruled();
  const id = await granted(h);
  const newer = { id: 'n1', secret: Buffer.alloc(32, 7) };
  const old = { id: 't1', secret: Buffer.from('5e'.repeat(32), 'hex') };
  const [made] = await h.db.select().from(rules);
  if (!made) throw new Error('no rule');
  await renewRuleSeals(h.db, createSealer([newer, old]));
  const [renewed] = await h.db.select().from(rules);
  expect(renewed?.seal).toMatch(/^n1\./);
  expect((await start(h, id, createSealer([newer, old]))).kind).toBe('start');
  const content = ruleContent(standingRule(made));
  const foreign = createSealer([{ id: 't1', secret: Buffer.alloc(32, 9) }]).seal('rule', content);
  await h.db.update(rules).set({ seal: foreign });
  await renewRuleSeals(h.db, createSealer([newer, old]));
  expect(await h.db.select().from(rules)).toMatchObject([{ seal: foreign }]);
});
