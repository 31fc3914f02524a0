import { eq } from 'drizzle-orm';
import { describe, expect, it } from 'vitest';
import { scheduleContinuation } from '../../bot/conversation/continuation.ts';
import { readNow } from '../../shared/db/clock.ts';
import { advance, markSeen } from '../../shared/db/executions.ts';
import { agentSessions, approvals, executions, turns, windows } from '../../shared/db/schema.ts';
import { liveTasks, openTasks } from '../../shared/db/tasks.ts';
import { decide } from '../../shared/decide.ts';
import type { ExecutionEvent } from '../../shared/domain/execution.ts';
import { propose } from '../../shared/propose.ts';
import { takeBack } from '../../shared/take-back.ts';
import { callKey, type House, house, OPERATOR, ROOM } from '../support/house.ts';

const touch = { target: 'lxc:web', command: 'touch /root/x', purpose: '' };

async function approvedByWords(h: House) {
  const place = await h.newTask();
  const asked = await propose(h.proposeDeps, { ...place, callKey: callKey(), ...touch });
  if (asked.kind !== 'waiting') throw new Error(asked.kind);
  const [card] = await h.db
    .select()
    .from(approvals)
    .where(eq(approvals.executionId, asked.execution.id));
  await decide(h.decideDeps, {
    approvalId: card?.id ?? '',
    decision: 'granted',
    by: OPERATOR,
    how: 'words',
    words: 'yes',
    eventId: '$yes',
  });
  return { ...place, id: asked.execution.id };
}

const walk = (h: House, id: string, ...events: ExecutionEvent[]) =>
  h.db.transaction(async (tx) => {
    const now = await readNow(tx);
    for (const event of events) await advance(tx, id, event, { actor: 'test', now });
  });

const told = { redact: (text: string) => text, nonce: () => 'n' };

describe('what follows', () => {
  it('a yes that is taken back covers nothing more, also when its command has run', async () => {
    const h = await house();
    const { id } = await approvedByWords(h);
    await walk(h, id, 'claimed', 'succeeded');
    const taken = { eventId: '$yes', by: OPERATOR, because: 'edited' };
    expect(await takeBack(h.db, taken)).toEqual([]);
    const rows = await h.db.select().from(windows);
    expect(rows.map(({ revokedAt }) => revokedAt !== null)).toEqual([true]);
  });

  it('an approved run that never started is told to the agent, which was told that it runs', async () => {
    const h = await house();
    const { id, taskId } = await approvedByWords(h);
    await walk(h, id, 'expired');
    await scheduleContinuation({ db: h.db, ...told }, taskId);
    const queued = await h.db.select().from(turns).where(eq(turns.status, 'queued'));
    expect(queued).toMatchObject([{ taskId, trigger: 'continuation' }]);
  });

  it('a task that looks up another’s run does not hear its end for it', async () => {
    const h = await house();
    const { id, taskId } = await approvedByWords(h);
    await walk(h, id, 'claimed', 'succeeded');
    const other = await h.newTask();
    await h.db.transaction((tx) => markSeen(tx, [id], { id: other.turnId, taskId: other.taskId }));
    await scheduleContinuation({ db: h.db, ...told }, taskId);
    const [row] = await h.db.select().from(executions).where(eq(executions.id, id));
    const queued = await h.db.select().from(turns).where(eq(turns.status, 'queued'));
    expect(queued.map((turn) => turn.id)).toEqual([row?.seenInTurn]);
  });

  it('stop reaches what a closed task has left over', async () => {
    const h = await house();
    const { taskId } = await approvedByWords(h);
    await h.db.update(agentSessions).set({ status: 'done' }).where(eq(agentSessions.id, taskId));
    expect(await openTasks(h.db, ROOM)).toEqual([]);
    expect((await liveTasks(h.db, ROOM)).map(({ id }) => id)).toEqual([taskId]);
  });
});
