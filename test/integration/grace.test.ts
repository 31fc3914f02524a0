import { eq } from 'drizzle-orm';
import { expect, it } from 'vitest';
import { claimStart } from '../../daemon/claim.ts';
import { approvalOfExecution } from '../../shared/db/approvals.ts';
import { readNow } from '../../shared/db/clock.ts';
import { overdueStarts } from '../../shared/db/due.ts';
import type { ExecutionRow } from '../../shared/db/executions.ts';
import { entities, outbox } from '../../shared/db/schema.ts';
import { lockTask } from '../../shared/db/tasks.ts';
import { decide } from '../../shared/decide.ts';
import { propose } from '../../shared/propose.ts';
import { MAX_UNASKED_PROPOSALS } from '../../shared/propose-types.ts';
import { settleProposal } from '../../shared/settle.ts';
import { testClaimer } from '../support/claimer.ts';
import { callKey, type House, house, OPERATOR } from '../support/house.ts';
import { testSeals } from '../support/seals.ts';

const claimer = testClaimer();

async function gracedDestruction(h: House): Promise<string> {
  const { taskId, turnId } = await h.newTask();
  const asked = await propose(h.proposeDeps, {
    taskId,
    turnId,
    callKey: callKey(),
    target: 'host:lab',
    command: 'pct destroy 102',
    purpose: '',
  });
  if (asked.kind !== 'waiting') throw new Error(`it is ${asked.kind}`);
  const { id } = asked.execution;
  const approval = await approvalOfExecution(h.db, id);
  const granted = await decide(
    { ...h.decideDeps, graceMs: 10_000 },
    {
      approvalId: approval?.id ?? '',
      decision: 'granted',
      by: OPERATOR,
      how: 'typed',
      words: 'I confirm destroy 102',
    },
  );
  expect(granted.kind).toBe('granted');
  return id;
}

it('starts nothing that can still be called off, whoever rings, and starts it afterwards', async () => {
  const h = await house();
  const id = await gracedDestruction(h);
  const overdue = async () => {
    const now = await readNow(h.db);
    const rows = await overdueStarts(h.db, 'home', { approvedBefore: now, now });
    return rows.map((row) => row.id);
  };
  expect((await claimStart(h.db, id, claimer, null)).kind).toBe('dropped');
  expect(await overdue()).toEqual([]);
  await h.moveClock(11 / 60);
  expect(await overdue()).toEqual([id]);
  expect((await claimStart(h.db, id, claimer, null)).kind).toBe('start');
});

it('takes twenty proposals an hour from turns that no operator asked for, and any number from theirs', async () => {
  const h = await house();
  const { taskId, turnId: own } = await h.newTask();
  const viewers = await h.newTurn(taskId, { byOperator: false });
  const look = (turnId: string, n: number) =>
    propose(h.proposeDeps, {
      taskId,
      turnId,
      callKey: callKey(),
      target: 'lxc:web',
      command: `cat /etc/hostname /etc/hosts.${n}`,
      purpose: '',
    });
  for (let n = 0; n < MAX_UNASKED_PROPOSALS; n += 1) {
    expect((await look(viewers, n)).kind).toBe('started');
  }
  expect(await look(viewers, 99)).toMatchObject({
    kind: 'refused',
    reasons: [expect.stringContaining('an operator must ask for more')],
  });
  expect((await look(own, 100)).kind).toBe('started');
  await h.moveClock(61);
  expect((await look(viewers, 101)).kind).toBe('started');
});

it('asks again after a late yes even where a window would cover it', async () => {
  const h = await house();
  const { taskId, turnId } = await h.newTask();
  const card = async (command: string) => {
    const ask = { taskId, turnId, callKey: callKey(), target: 'lxc:web', command, purpose: '' };
    const answer = await propose(h.proposeDeps, ask);
    if (answer.kind !== 'waiting') throw new Error(`it is ${answer.kind}`);
    return (await approvalOfExecution(h.db, answer.execution.id))?.id ?? '';
  };
  const yes = (approvalId: string) =>
    decide(h.decideDeps, { approvalId, decision: 'granted', by: OPERATOR, how: 'words' });
  const first = await card('systemctl restart nginx');
  await h.moveClock(61);
  expect((await yes(await card('systemctl restart cron'))).kind).toBe('granted');
  await h.db.update(entities).set({ name: 'mail' }).where(eq(entities.slug, 'lxc:web'));
  expect(await yes(first)).toMatchObject({ kind: 'changed', again: 3 });
  // Only the other command was rung for.
  expect(h.rung).toHaveLength(1);
});

it('looks at the files again after a late yes where the fleet has changed, and shows a new card', async () => {
  const h = await house();
  const { taskId, turnId } = await h.newTask();
  const look = async (row: ExecutionRow) => {
    const path = '/root/deploy.sh';
    const found = {
      ...{
        real: path,
        size: 9,
        owner: 'root',
        uid: 0,
        gid: 0,
        mode: '755',
        sha256: 'a'.repeat(64),
      },
      head: 'echo hi\n',
    };
    const files = [{ path, use: 'shell', state: 'file', found } as const];
    await h.db.transaction(async (tx) => {
      const task = await lockTask(tx, taskId);
      if (!task) throw new Error('no task');
      await settleProposal(tx, row, {
        ...{ task, found: { files, lists: [] }, actor: 'daemon/1', from: 'daemon' },
        now: await readNow(tx),
        seals: testSeals,
      });
    });
    return (await approvalOfExecution(h.db, row.id))?.id ?? '';
  };
  const asked = await propose(h.proposeDeps, {
    ...{ taskId, turnId, callKey: callKey(), target: 'lxc:web', purpose: '' },
    command: 'bash /root/deploy.sh',
  });
  if (asked.kind !== 'waiting') throw new Error(`it is ${asked.kind}`);
  const first = await look(asked.execution);
  await h.moveClock(61);
  await h.db.update(entities).set({ name: 'mail' }).where(eq(entities.slug, 'lxc:web'));
  const by = { by: OPERATOR, how: 'words', decision: 'granted' } as const;
  const late = await decide(h.decideDeps, { ...by, approvalId: first });
  if (late.kind !== 'changed' || !late.looking) throw new Error(JSON.stringify(late));
  expect(h.rung).toContain(late.looking.id);
  const second = await look(late.looking);
  const told = await h.db.select().from(outbox).where(eq(outbox.type, 'execution.waiting'));
  expect(told.map(({ approvalId }) => approvalId)).toContain(second);
  expect((await decide(h.decideDeps, { ...by, approvalId: second })).kind).toBe('granted');
});
