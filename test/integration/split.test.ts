import { asc } from 'drizzle-orm';
import { describe, expect, it } from 'vitest';
import { approvals, executions } from '../../shared/db/schema.ts';
import { type ProposeAsk, propose } from '../../shared/propose.ts';
import { callKey, type House, house } from '../support/house.ts';

function ask(h: House, place: { taskId: string; turnId: string }, wish: Partial<ProposeAsk>) {
  const plain = { callKey: callKey(), target: 'host:lab', command: '', purpose: '' };
  return propose(h.proposeDeps, { ...place, ...plain, ...wish });
}

describe('a loop that destroys several things', () => {
  const loop = (ids: string) => ({ command: `for i in ${ids}; do pct destroy $i; done` });

  it('becomes one card each, with its own sentence', async () => {
    const h = await house();
    const place = await h.newTask();
    const key = callKey();
    const answered = await ask(h, place, { ...loop('135 136'), callKey: key });
    expect(answered).toMatchObject({
      kind: 'split',
      executions: [
        { number: 1, command: 'pct destroy 135', status: 'pending_approval' },
        { number: 2, command: 'pct destroy 136', status: 'pending_approval' },
      ],
    });
    const rows = await h.db.select().from(executions);
    expect(new Set(rows.map(({ batchId }) => batchId)).size).toBe(1);
    const cards = await h.db.select().from(approvals).orderBy(asc(approvals.phraseObject));
    expect(cards.map((card) => `${card.phraseVerb} ${card.phraseObject}`)).toEqual([
      'destroy 135',
      'destroy 136',
    ]);
    expect(await ask(h, place, { ...loop('135 136'), callKey: key })).toEqual(answered);
    expect(await h.db.select().from(executions)).toHaveLength(2);
  });

  it('leaves nothing behind when one of them cannot be asked for', async () => {
    const h = await house();
    const place = await h.newTask();
    await ask(h, place, { command: 'pct destroy 136' });
    expect(await ask(h, place, loop('135 136'))).toMatchObject({
      kind: 'refused',
      reasons: ['pct destroy 136 was asked for already'],
    });
    expect(await ask(h, place, loop('1 2 3 4 5 6 7'))).toMatchObject({ kind: 'refused' });
    expect(await h.db.select().from(executions)).toHaveLength(1);
    expect(await h.db.select().from(approvals)).toHaveLength(1);
  });
});
