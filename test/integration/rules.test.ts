import { asc, eq } from 'drizzle-orm';
import { describe, expect, it } from 'vitest';
import { listRules, revokeNumbered, ruleNumber } from '../../cli/rules/rules.ts';
import { type Judged, judgeStart } from '../../daemon/claim.ts';
import { upsertEntity } from '../../shared/db/entities.ts';
import { advance, type ExecutionRow } from '../../shared/db/executions.ts';
import { addToolResult } from '../../shared/db/messages.ts';
import { markOffered } from '../../shared/db/rules.ts';
import { approvals, auditEvents, executions, rules } from '../../shared/db/schema.ts';
import { decide } from '../../shared/decide.ts';
import type { Origin } from '../../shared/domain/origin.ts';
import { ruleContent } from '../../shared/domain/rule.ts';
import { type ProposeAnswer, type ProposeAsk, propose } from '../../shared/propose.ts';
import { allowAlways, confirmRule, revokeRule } from '../../shared/rules.ts';
import { testClaimer } from '../support/claimer.ts';
import { callKey, type House, house, OPERATOR, ROOM, STRANGER, warmUp } from '../support/house.ts';
import { testSeals } from '../support/seals.ts';

const reload = { target: 'lxc:web', command: 'systemctl reload nginx', purpose: '' };
const restart = { target: 'lxc:web', command: 'systemctl restart nginx', purpose: '' };
type Place = { taskId: string; turnId: string };
type Wish = Pick<ProposeAsk, 'target' | 'command' | 'purpose'> & Partial<ProposeAsk>;

const ask = (h: House, place: Place, wish: Wish) =>
  propose(h.proposeDeps, { ...place, callKey: callKey(), ...wish });

/** A command that ran to its good end after a person's yes, in a task of its own. */
async function ran(h: House, wish: Wish, place?: Place): Promise<ExecutionRow> {
  const answer = await ask(h, place ?? (await h.newTask()), wish);
  if (answer.kind !== 'waiting') throw new Error(`expected a card, got ${answer.kind}`);
  const [card] = await h.db
    .select()
    .from(approvals)
    .where(eq(approvals.executionId, answer.execution.id));
  const approvalId = card?.id ?? '';
  await decide(h.decideDeps, { approvalId, decision: 'granted', by: OPERATOR, how: 'words' });
  return ends(h, answer.execution.id);
}

async function ends(h: House, id: string): Promise<ExecutionRow> {
  return h.db.transaction(async (tx) => {
    const change = { actor: 'daemon/1', now: new Date() };
    await advance(tx, id, 'claimed', change);
    return (await advance(tx, id, 'succeeded', change)).row;
  });
}

let events = 0;
const wishOf = (dailyCap = 6, by = OPERATOR) => {
  events += 1;
  return { agent: 'nomos', roomId: ROOM, by, eventId: `$always${events}`, dailyCap };
};

/** A pattern for `reload`, as `always allow #N` makes it. */
async function patternFor(h: House, wish: Wish = reload, dailyCap = 6) {
  const { id: executionId } = await ran(h, wish);
  const answer = await allowAlways(h.decideDeps, wishOf(dailyCap), { executionId });
  if (answer.kind !== 'allowed') throw new Error(JSON.stringify(answer));
  return answer.rule;
}

const startOf = (h: House, answer: ProposeAnswer): Promise<Judged> => {
  if (answer.kind !== 'started') throw new Error(`expected a start, got ${answer.kind}`);
  return judgeStart(h.db, answer.execution.id, testClaimer());
};

async function ledger(h: House): Promise<string[]> {
  const rows = await h.db.select().from(auditEvents).orderBy(asc(auditEvents.seq));
  return rows.filter(({ kind }) => kind.startsWith('rule.')).map(({ kind }) => kind);
}

async function identity(h: House, attributes: Record<string, unknown>, slug = 'lxc:web') {
  const type = slug.startsWith('host:') ? 'host' : 'lxc';
  const name = slug.replace(/^\w+:/, '');
  const facts = { type, slug, name, state: 'active', attributes } as const;
  await upsertEntity(h.db, facts, new Date());
}

describe('reversible_low', () => {
  it('asks like a config_mutation while no pattern covers it', async () => {
    const h = await house();
    expect(await ask(h, await h.newTask(), reload)).toMatchObject({
      kind: 'waiting',
      execution: { risk: 'reversible_low', status: 'pending_approval' },
    });
  });

  it('runs at once by its pattern, in any task, and the daemon agrees', async () => {
    const h = await house();
    const { id, kind } = await patternFor(h);
    const answer = await ask(h, await h.newTask(), {
      ...reload,
      command: "systemctl 'reload' nginx",
    });
    expect(answer).toMatchObject({
      kind: 'started',
      execution: { authorization: { kind: 'pattern', ruleId: id }, status: 'approved' },
    });
    expect(kind).toBe('pattern');
    expect(await startOf(h, answer)).toMatchObject({ kind: 'start', rule: { id } });
    expect(await ledger(h)).toEqual(['rule.allowed', 'rule.used']);
    expect(h.rung.at(-1)).toBe(answer.kind === 'started' ? answer.execution.id : '');
  });

  it.each([
    ['other words', { ...reload, command: 'systemctl reload php-fpm' }],
    ['more words', { ...reload, command: 'systemctl reload nginx php-fpm' }],
    ['a further command', { ...reload, command: 'systemctl reload nginx; uptime' }],
    ['a redirection', { ...reload, command: 'systemctl reload nginx > /root/x' }],
    ['another container', { ...reload, target: 'lxc:dns' }],
    ['a declared higher class', { ...reload, declaredRisk: 'config_mutation' as const }],
  ])('asks for %s', async (_claim, wish) => {
    const h = await house();
    await patternFor(h);
    expect((await ask(h, await h.newTask(), wish)).kind).toBe('waiting');
  });
});

describe('a rule counts', () => {
  it('as often as its cap says, and again a day later', async () => {
    const h = await house();
    await patternFor(h, reload, 2);
    const kinds: string[] = [];
    for (let n = 0; n < 3; n += 1) {
      kinds.push((await ask(h, await h.newTask(), reload)).kind);
    }
    expect(kinds).toEqual(['started', 'started', 'waiting']);
    expect((await ledger(h)).at(-1)).toBe('rule.passed');
    await h.moveClock(24 * 60 + 1);
    expect((await ask(h, await h.newTask(), reload)).kind).toBe('started');
  });

  it('once when two tasks meet at the cap', async () => {
    const h = await house();
    await patternFor(h, reload, 1);
    for (let round = 0; round < 4; round += 1) {
      await h.moveClock(round * (24 * 60 + 1));
      const places = await Promise.all(Array.from({ length: 6 }, () => h.newTask()));
      await warmUp(h.db, 6);
      const answers = await Promise.all(places.map((place) => ask(h, place, reload)));
      expect(answers.filter(({ kind }) => kind === 'started')).toHaveLength(1);
    }
  });

  it('until nobody used it for ninety days', async () => {
    const h = await house();
    await patternFor(h);
    const day = 24 * 60;
    await h.moveClock(89 * day);
    expect((await ask(h, await h.newTask(), reload)).kind).toBe('started');
    await h.moveClock(178 * day);
    expect((await ask(h, await h.newTask(), reload)).kind).toBe('started');
    await h.moveClock(268 * day + 1);
    expect((await ask(h, await h.newTask(), reload)).kind).toBe('waiting');
  });

  it('not for work that no operator asked for', async () => {
    const h = await house();
    await patternFor(h);
    const place = await h.newTask();
    const turnId = await h.newTurn(place.taskId, { byOperator: false });
    expect((await ask(h, { ...place, turnId }, reload)).kind).toBe('waiting');
  });

  it.each<[Origin, ProposeAnswer['kind']]>([
    ['guest:lxc:web', 'started'],
    ['guest:lxc:dns', 'waiting'],
    ['host:lab', 'waiting'],
    ['outside', 'waiting'],
  ])('after reading %s: %s (K4)', async (origin, kind) => {
    const h = await house();
    await patternFor(h);
    const place = await h.newTask();
    const result = { callKey: callKey(), callId: 'c', content: 'text', origins: [origin] };
    await h.db.transaction((tx) => addToolResult(tx, { ...place, ...result, at: new Date() }));
    expect((await ask(h, place, reload)).kind).toBe(kind);
  });

  it.each([
    ['the vmid', { vmid: 109 }, 'lxc:web'],
    ['the root volume', { rootVolume: 'zfs:subvol-101-disk-1' }, 'lxc:web'],
    ['the key of the host', { hostKey: 'SHA256:new' }, 'host:lab'],
    ['the floor', { floor: 'config_mutation' }, 'lxc:web'],
  ])('not once %s is another', async (_claim, changed, slug) => {
    const h = await house();
    await identity(h, { rootVolume: 'zfs:subvol-101-disk-0' });
    await identity(h, { hostKey: 'SHA256:old' }, 'host:lab');
    await patternFor(h);
    const before = await ask(h, await h.newTask(), reload);
    await identity(h, changed, slug);
    expect((await ask(h, await h.newTask(), reload)).kind).toBe('waiting');
    expect(await startOf(h, before)).toMatchObject({ kind: 'ended', row: { status: 'refused' } });
  });
});

describe('the daemon refuses what its rule no longer lets run', () => {
  const refusals: [string, RegExp, (h: House, number: number, id: string) => Promise<unknown>][] = [
    ['revoked', /R1 was revoked/, (h, number) => revokeRule(h.db, { number, by: OPERATOR })],
    [
      'never confirmed',
      /R1 was never confirmed/,
      (h) => h.db.update(rules).set({ allowedAt: null }),
    ],
    ['about another command', /another command/, (h) => h.db.update(rules).set({ argv: ['true'] })],
    ['of another agent', /another command/, (h) => h.db.update(rules).set({ agent: 'other' })],
    ['of another kind', /does not exist/, (h) => h.db.update(rules).set({ kind: 'rule' })],
    ['gone', /does not exist/, (h) => h.db.delete(rules)],
  ];
  it.each(refusals)('%s', async (_claim, reason, change) => {
    const h = await house();
    const { number, id } = await patternFor(h);
    const answer = await ask(h, await h.newTask(), reload);
    await change(h, number, id);
    expect(await startOf(h, answer)).toMatchObject({
      kind: 'ended',
      row: { status: 'refused', startedAt: null, reason: expect.stringMatching(reason) },
    });
  });

  it('beyond its cap', async () => {
    const h = await house();
    const rule = await patternFor(h, reload, 2);
    const first = await ask(h, await h.newTask(), reload);
    const second = await ask(h, await h.newTask(), reload);
    const seal = testSeals.seal('rule', ruleContent({ ...rule, dailyCap: 1 }));
    await h.db.update(rules).set({ dailyCap: 1, seal });
    expect(await startOf(h, second)).toMatchObject({
      row: { reason: expect.stringMatching(/^R1 was used 1 times/) },
    });
    expect((await startOf(h, first)).kind).toBe('start');
  });
});

describe('always allow', () => {
  it.each([
    ['a restart on a container, as a rule', restart, 'offered'],
    ['a reload on the host, as a pattern', { ...reload, target: 'host:lab' }, 'allowed'],
  ])('takes %s', async (_claim, wish, kind) => {
    const h = await house();
    const { id: executionId } = await ran(h, wish);
    const answer = await allowAlways(h.decideDeps, wishOf(), { executionId });
    expect(answer.kind).toBe(kind);
  });

  it.each([
    ['a restart on a host', { ...restart, target: 'host:lab' }, /no rule covers changes on a host/],
    ['access', { ...restart, command: 'useradd bob' }, /flagged access/],
    ['two commands', { ...restart, command: 'systemctl restart a; true' }, /one simple command/],
    [
      'more than its line shows',
      { ...restart, command: `systemctl restart ${'a'.repeat(390)} b` },
      /shown whole/,
    ],
    ['words with line breaks', { ...restart, command: "systemctl restart 'a\nb'" }, /shown whole/],
    ['a snapshot', { ...restart, target: 'host:lab', command: 'pct snapshot 101 x' }, /outside/],
  ])('never takes %s', async (_claim, wish, why) => {
    const h = await house();
    const { id: executionId } = await ran(h, wish);
    expect(await allowAlways(h.decideDeps, wishOf(), { executionId })).toEqual({
      kind: 'refused',
      reason: expect.stringMatching(why),
    });
    expect(await ledger(h)).toEqual(['rule.refused']);
  });

  it('listens to operators only', async () => {
    const h = await house();
    const { id: executionId } = await ran(h, reload);
    const answer = await allowAlways(h.decideDeps, wishOf(6, STRANGER), { executionId });
    expect(answer).toMatchObject({
      kind: 'refused',
      reason: expect.stringMatching(/only an operator/),
    });
    expect(await h.db.select().from(rules)).toEqual([]);
  });

  it('makes one rule of one wish, said twice or at once', async () => {
    const h = await house();
    const { id: executionId } = await ran(h, reload);
    const wish = wishOf();
    await warmUp(h.db, 6);
    const answers = await Promise.all([
      allowAlways(h.decideDeps, wish, { executionId }),
      allowAlways(h.decideDeps, wish, { executionId }),
      allowAlways(h.decideDeps, wishOf(), { executionId }),
      allowAlways(h.decideDeps, wishOf(), { executionId }),
    ]);
    expect(answers.map(({ kind }) => kind)).not.toContain('refused');
    expect(await h.db.select().from(rules)).toHaveLength(1);
  });

  it('lets only the operator who was shown a rule confirm it', async () => {
    const h = await house();
    const second = '@second:oikos.test';
    const isOperator = (id: string) => id === OPERATOR || id === second;
    const deps = { ...h.decideDeps, isOperator };
    const command = 'systemctl restart jellyfin';
    const offered = await allowAlways(deps, wishOf(), { command, target: 'lxc:web' });
    if (offered.kind !== 'offered') throw new Error(offered.kind);
    const said = { number: offered.rule.number, roomId: ROOM, eventId: '$c', seq: 9 };
    const confirm = (by: string, more = {}) => confirmRule(deps, { ...said, by, ...more });
    expect(await confirm(OPERATOR)).toMatchObject({ reason: expect.stringMatching(/^that came/) });
    await h.db.transaction((tx) => markOffered(tx, offered.rule.id, 8));
    const refusals = [
      await confirm(second),
      await confirm(STRANGER),
      await confirm(OPERATOR, { roomId: '!other:oikos.test' }),
      await confirm(OPERATOR, { number: 7 }),
      await confirm(OPERATOR, { seq: 8 }),
    ];
    expect(refusals.map(({ kind }) => kind)).toEqual(Array(5).fill('refused'));
    expect(await confirm(OPERATOR)).toMatchObject({ kind: 'allowed' });
    expect(await confirm(OPERATOR)).toMatchObject({ kind: 'already' });
    const started = await ask(h, await h.newTask(), { ...restart, command });
    expect(await startOf(h, started)).toMatchObject({ kind: 'start', rule: { kind: 'rule' } });
  });

  it('never gives a number twice', async () => {
    const h = await house();
    const one = await patternFor(h);
    await revokeRule(h.db, { number: one.number, by: OPERATOR });
    const two = await patternFor(h, { ...reload, target: 'lxc:dns' });
    expect([one.number, two.number]).toEqual([1, 2]);
    expect(await ledger(h)).toEqual(['rule.allowed', 'rule.revoked', 'rule.allowed']);
  });
});

describe('the command line', () => {
  it('lists rules and ends them', async () => {
    const h = await house();
    await patternFor(h, reload, 3);
    expect(await listRules(h.db, 'UTC')).toContain(
      'R1 (pattern): `systemctl reload nginx` on lxc:web',
    );
    expect(['R1', 'r1', '1', 'R', 'x'].map(ruleNumber)).toEqual([
      1,
      1,
      ...Array(3).fill(undefined),
    ]);
    expect(await revokeNumbered(h.db, 1, 'cli:ada')).toMatchObject({ done: true });
    expect(await revokeNumbered(h.db, 1, 'cli:ada')).toMatchObject({ done: false });
    expect(await revokeNumbered(h.db, 2, 'cli:ada')).toMatchObject({ done: false });
    expect(await listRules(h.db, 'UTC')).toContain('Nothing is always allowed');
    const rows = await h.db.select().from(auditEvents).where(eq(auditEvents.kind, 'rule.revoked'));
    expect(rows).toMatchObject([{ actor: 'cli:ada' }]);
  });
});

describe('access inside a container that the task created', () => {
  const create = { target: 'host:lab', command: 'pct create 140 local:vztmpl/x.zst', purpose: '' };
  const unit = {
    target: 'host:lab',
    command: 'pct exec 140 -- mkdir /etc/systemd/system/x.service.d',
    purpose: '',
  };

  it('rides on the window that the yes opened, there and at the daemon', async () => {
    const h = await house();
    const place = await h.newTask();
    await ran(h, create, place);
    const answer = await ask(h, place, unit);
    expect(answer).toMatchObject({
      kind: 'started',
      execution: { authorization: { kind: 'window' } },
    });
    expect((await startOf(h, answer)).kind).toBe('start');
    const other = await ask(h, place, {
      ...unit,
      command: 'pct exec 101 -- mkdir /etc/systemd/system/x.service.d',
    });
    expect(other.kind).toBe('waiting');
    const account = await ask(h, place, { ...unit, command: 'pct exec 140 -- useradd bob' });
    expect(account.kind).toBe('waiting');
  });

  it('asks in another task, and the daemon refuses it when nothing was created', async () => {
    const h = await house();
    const place = await h.newTask();
    const { id } = await ran(h, create, place);
    const answer = await ask(h, place, unit);
    const other = await h.newTask();
    await ran(h, { ...restart, target: 'host:lab' }, other);
    expect((await ask(h, other, unit)).kind).toBe('waiting');
    await h.db.delete(executions).where(eq(executions.id, id));
    expect(await startOf(h, answer)).toMatchObject({ row: { status: 'refused' } });
  });
});
