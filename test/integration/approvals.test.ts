import { asc, eq } from 'drizzle-orm';
import { describe, expect, it } from 'vitest';
import { addToolResult } from '../../shared/db/messages.ts';
import {
  approvals,
  auditEvents,
  decisions,
  executions,
  outbox,
  windows,
} from '../../shared/db/schema.ts';
import { lockTask } from '../../shared/db/tasks.ts';
import { revokeForeignWindows } from '../../shared/db/windows.ts';
import { type DecideAsk, decide } from '../../shared/decide.ts';
import type { Origin } from '../../shared/domain/origin.ts';
import { type ProposeAnswer, type ProposeAsk, propose } from '../../shared/propose.ts';
import { stopTask } from '../../shared/stop.ts';
import { callKey, type House, house, OPERATOR, ROOM, STRANGER, warmUp } from '../support/house.ts';

const restart = { target: 'lxc:web', command: 'systemctl restart nginx', purpose: 'it hangs' };
const destroy = (vmid: number) => ({
  target: 'host:lab',
  command: `pct destroy ${vmid}`,
  purpose: '',
});

type Wish = Pick<ProposeAsk, 'target' | 'command' | 'purpose'> & Partial<ProposeAsk>;

function ask(h: House, place: { taskId: string; turnId: string }, wish: Wish) {
  return propose(h.proposeDeps, { ...place, callKey: callKey(), ...wish });
}

async function approvalOf(h: House, answer: ProposeAnswer) {
  if (answer.kind !== 'waiting') throw new Error(`expected a card, got ${answer.kind}`);
  const [row] = await h.db
    .select()
    .from(approvals)
    .where(eq(approvals.executionId, answer.execution.id));
  if (!row) throw new Error('no approval row');
  return row;
}

async function answer(h: House, approvalId: string, more: Partial<DecideAsk> = {}) {
  return decide(h.decideDeps, {
    approvalId,
    decision: 'granted',
    by: OPERATOR,
    how: 'words',
    words: 'yes',
    ...more,
  });
}

async function read(h: House, place: { taskId: string; turnId: string }, origin: Origin) {
  await h.db.transaction((tx) =>
    addToolResult(tx, {
      ...place,
      callKey: callKey(),
      callId: 'c',
      content: 'text',
      origins: [origin],
      at: new Date(),
    }),
  );
}

/** What the turn does when a tool's answer enters the context. */
async function foreign(h: House, place: { taskId: string }, origin: Origin) {
  await h.db.transaction(async (tx) => {
    await lockTask(tx, place.taskId);
    await revokeForeignWindows(tx, place.taskId, [origin], new Date());
  });
}

describe('propose', () => {
  it('starts a plain read at once and rings the daemon', async () => {
    const h = await house();
    const place = await h.newTask();
    const answered = await ask(h, place, { target: 'lab', command: 'df -h', purpose: 'space' });
    expect(answered).toMatchObject({
      kind: 'started',
      execution: { status: 'approved', risk: 'read_only', number: null, hostSlug: 'host:lab' },
    });
    expect(h.rung).toHaveLength(1);
  });

  it('puts a change on a numbered card and rings nobody', async () => {
    const h = await house();
    const place = await h.newTask();
    const first = await ask(h, place, restart);
    const second = await ask(h, place, { ...restart, target: 'lxc:dns' });
    expect([first, second]).toMatchObject([
      { kind: 'waiting', execution: { number: 1, status: 'pending_approval', vmid: 101 } },
      { kind: 'waiting', execution: { number: 2, hostSlug: 'host:lab' } },
    ]);
    expect(h.rung).toEqual([]);
  });

  it('answers the same call from the row that it made', async () => {
    const h = await house();
    const place = await h.newTask();
    const key = callKey();
    const [one, two] = [
      await ask(h, place, { ...restart, callKey: key }),
      await ask(h, place, { ...restart, callKey: key }),
    ];
    expect(one).toMatchObject({ kind: 'waiting' });
    expect(two).toEqual(one);
    expect(await h.db.select().from(executions)).toHaveLength(1);
  });

  it('names an equal request that is still open', async () => {
    const h = await house();
    const place = await h.newTask();
    await ask(h, place, restart);
    expect(await ask(h, place, restart)).toMatchObject({
      kind: 'duplicate',
      execution: { number: 1 },
    });
  });

  it('refuses an unknown target and says what there is', async () => {
    const h = await house();
    const refused = await ask(h, await h.newTask(), { ...restart, target: 'lxc:nope' });
    expect(refused).toMatchObject({ kind: 'refused' });
    expect(JSON.stringify(refused)).toContain('host:lab, lxc:dns, lxc:web');
  });

  it('lets a declared risk raise the class, never lower it', async () => {
    const h = await house();
    const place = await h.newTask();
    const raised = await ask(h, place, {
      target: 'lab',
      command: 'uptime',
      purpose: '',
      declaredRisk: 'config_mutation',
    });
    const lowered = await ask(h, place, { ...restart, declaredRisk: 'read_only' });
    expect([raised, lowered]).toMatchObject([{ kind: 'waiting' }, { kind: 'waiting' }]);
  });

  it('refuses a seventh open card of one task', async () => {
    const h = await house();
    const place = await h.newTask();
    for (let n = 1; n <= 6; n += 1) {
      await ask(h, place, { ...restart, command: `systemctl restart a${n}` });
    }
    const seventh = await ask(h, place, { ...restart, command: 'systemctl restart a7' });
    expect(JSON.stringify(seventh)).toContain('finish these first');
  });
});

describe('decide', () => {
  it('grants once, however many say yes at the same moment', async () => {
    const h = await house();
    const card = await approvalOf(h, await ask(h, await h.newTask(), restart));
    await warmUp(h.db, 8);
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, n) => answer(h, card.id, { eventId: `$${n}` })),
    );
    const kinds = answers.map(({ kind }) => kind).toSorted();
    expect(kinds).toEqual([...Array(7).fill('already'), 'granted']);
    expect(await h.db.select().from(decisions)).toHaveLength(1);
    expect(h.rung).toHaveLength(1);
  });

  it('lets the first of a yes and a no win', async () => {
    const h = await house();
    const card = await approvalOf(h, await ask(h, await h.newTask(), restart));
    await warmUp(h.db, 2);
    await Promise.all([answer(h, card.id), answer(h, card.id, { decision: 'denied' })]);
    const [row] = await h.db.select().from(executions);
    const [approval] = await h.db.select().from(approvals);
    const pair = `${approval?.status}/${row?.status}`;
    expect(['granted/approved', 'denied/denied']).toContain(pair);
  });

  it('listens to operators only, and keeps the attempt in the ledger', async () => {
    const h = await house();
    const card = await approvalOf(h, await ask(h, await h.newTask(), restart));
    expect(await answer(h, card.id, { by: STRANGER })).toEqual({ kind: 'not_yours' });
    const [row] = await h.db.select().from(executions);
    expect(row?.status).toBe('pending_approval');
    const kinds = (await h.db.select().from(auditEvents)).map(({ kind }) => kind);
    expect(kinds).toContain('decision.ignored');
  });

  it('obeys nobody when there are no operators', async () => {
    const h = await house();
    const card = await approvalOf(h, await ask(h, await h.newTask(), restart));
    const nobody = { ...h.decideDeps, isOperator: () => false };
    const answered = await decide(nobody, {
      approvalId: card.id,
      decision: 'granted',
      by: OPERATOR,
      how: 'words',
    });
    expect(answered).toEqual({ kind: 'not_yours' });
  });

  it('denies with the class untouched', async () => {
    const h = await house();
    const card = await approvalOf(h, await ask(h, await h.newTask(), restart));
    await answer(h, card.id, { decision: 'denied', words: 'no' });
    const [row] = await h.db.select().from(executions);
    expect(row).toMatchObject({ status: 'denied', risk: 'config_mutation' });
    const ledger = await h.db.select().from(auditEvents).orderBy(asc(auditEvents.seq));
    expect(ledger.at(-1)).toMatchObject({ kind: 'execution.denied', actor: OPERATOR });
  });

  it('starts a destruction by its own sentence only', async () => {
    const h = await house();
    const card = await approvalOf(h, await ask(h, await h.newTask(), destroy(135)));
    expect(await answer(h, card.id)).toMatchObject({
      kind: 'needs_phrase',
      sentence: { verb: 'destroy', object: '135' },
    });
    expect(
      await answer(h, card.id, { words: 'I confirm destroy 136', how: 'typed' }),
    ).toMatchObject({
      kind: 'needs_phrase',
    });
    const typed = await answer(h, card.id, { words: 'I confirm destroy 135', how: 'typed' });
    expect(typed).toMatchObject({ kind: 'granted', execution: { status: 'approved' } });
    const opened = await h.db.select().from(windows).orderBy(asc(windows.kind));
    expect(opened.map(({ kind, object }) => [kind, object])).toEqual([
      ['assent', null],
      ['destructive', 'lxc/135@host:lab'],
    ]);
  });

  it('expires a card after a day, and its execution with it', async () => {
    const h = await house();
    const card = await approvalOf(h, await ask(h, await h.newTask(), restart));
    await h.moveClock(24 * 60 + 1);
    expect(await answer(h, card.id)).toEqual({ kind: 'expired' });
    const [row] = await h.db.select().from(executions);
    expect(row?.status).toBe('expired');
  });

  it('gives two cards of one room different sentences', async () => {
    const h = await house();
    const one = await approvalOf(h, await ask(h, await h.newTask(), destroy(135)));
    const two = await approvalOf(h, await ask(h, await h.newTask(), destroy(135)));
    expect(one.phraseObject).toBe('135');
    expect(two.phraseObject).toBe('135@lab');
  });
});

describe('windows', () => {
  async function afterYes(h: House) {
    const place = await h.newTask();
    const card = await approvalOf(h, await ask(h, place, restart));
    await answer(h, card.id);
    return place;
  }

  it('lets the next change of the task run at once, for thirty minutes', async () => {
    const h = await house();
    const place = await afterYes(h);
    const under = await ask(h, place, { ...restart, command: 'systemctl restart php-fpm' });
    expect(under).toMatchObject({
      kind: 'started',
      execution: { authorization: { kind: 'window' } },
    });
    await h.moveClock(31);
    const later = await ask(h, place, { ...restart, command: 'systemctl restart cron' });
    expect(later.kind).toBe('waiting');
  });

  it('covers no other task and no turn of anybody else', async () => {
    const h = await house();
    const place = await afterYes(h);
    const other = await ask(h, await h.newTask(), {
      ...restart,
      command: 'systemctl restart cron',
    });
    const turnId = await h.newTurn(place.taskId, { byOperator: false });
    const foreign = await ask(
      h,
      { ...place, turnId },
      { ...restart, command: 'systemctl restart a' },
    );
    expect([other.kind, foreign.kind]).toEqual(['waiting', 'waiting']);
  });

  it('does not carry text read in lxc:web to host:lab', async () => {
    const h = await house();
    const place = await afterYes(h);
    await read(h, place, 'guest:lxc:web');
    const own = await ask(h, place, { ...restart, command: 'systemctl restart php-fpm' });
    const host = await ask(h, place, {
      ...restart,
      target: 'lab',
      command: 'systemctl restart ssh',
    });
    const sibling = await ask(h, place, {
      ...restart,
      target: 'lxc:dns',
      command: 'systemctl restart a',
    });
    expect([own.kind, host.kind, sibling.kind]).toEqual(['started', 'waiting', 'waiting']);
  });

  it('of a destruction covers its one object, until text from elsewhere is read', async () => {
    const h = await house();
    const place = await h.newTask();
    const card = await approvalOf(h, await ask(h, place, destroy(135)));
    await answer(h, card.id, { words: 'I confirm destroy 135', how: 'typed' });
    const stop = (vmid: number) => ({
      target: 'host:lab',
      command: `pct stop ${vmid}`,
      purpose: '',
    });
    expect((await ask(h, place, stop(135))).kind).toBe('started');
    expect((await ask(h, place, destroy(136))).kind).toBe('waiting');
    await read(h, place, 'host:lab');
    await foreign(h, place, 'host:lab');
    expect(
      (await ask(h, place, { ...destroy(135), command: 'pct destroy 135 --purge' })).kind,
    ).toBe('started');
    await foreign(h, place, 'guest:lxc:web');
    expect(
      (await ask(h, place, { ...destroy(135), command: 'pct destroy 135 --force' })).kind,
    ).toBe('waiting');
  });

  it('opens none for a reaction unless the setting says so', async () => {
    const h = await house();
    const place = await h.newTask();
    const card = await approvalOf(h, await ask(h, place, restart));
    await answer(h, card.id, { how: 'reaction', words: '👍' });
    expect(await h.db.select().from(windows)).toEqual([]);
  });

  it('is closed by a no', async () => {
    const h = await house();
    const place = await afterYes(h);
    const card = await approvalOf(h, await ask(h, place, destroy(140)));
    await answer(h, card.id, { decision: 'denied' });
    const next = await ask(h, place, { ...restart, command: 'systemctl restart cron' });
    expect(next.kind).toBe('waiting');
  });
});

describe('stop', () => {
  it('withdraws cards, cancels what is queued, closes windows and refuses older turns', async () => {
    const h = await house();
    const place = await h.newTask();
    const first = await approvalOf(h, await ask(h, place, restart));
    await answer(h, first.id);
    await ask(h, place, destroy(135));
    const stopped = await stopTask(h.db, place.taskId, OPERATOR, '$stop');
    expect(stopped).toEqual({ withdrawn: 1, cancelled: 1, stopping: 0, windows: 1 });
    const statuses = (await h.db.select().from(executions)).map(({ status }) => status);
    expect(statuses).toEqual(['cancelled', 'cancelled']);
    const late = await ask(h, place, { target: 'lab', command: 'uptime', purpose: '' });
    expect(late).toMatchObject({ kind: 'refused' });
    const turnId = await h.newTurn(place.taskId, { stopEpoch: 1 });
    const fresh = await ask(
      h,
      { ...place, turnId },
      { target: 'lab', command: 'uptime', purpose: '' },
    );
    expect(fresh.kind).toBe('started');
  });
});

describe('the ledger', () => {
  it('refuses to be changed', async () => {
    const h = await house();
    await ask(h, await h.newTask(), restart);
    await expect(h.db.update(auditEvents).set({ actor: 'x' })).rejects.toThrow();
    await expect(h.db.delete(auditEvents)).rejects.toThrow();
  });

  it('tells every change of status to the room’s outbox', async () => {
    const h = await house();
    const card = await approvalOf(h, await ask(h, await h.newTask(), restart));
    await answer(h, card.id);
    const rows = await h.db.select().from(outbox).orderBy(asc(outbox.seq));
    expect(rows.map(({ type, roomId }) => [type, roomId])).toEqual([
      ['execution.approved', ROOM],
      ['approval.decided', ROOM],
      ['window.opened', ROOM],
    ]);
  });
});
