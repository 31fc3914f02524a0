import { eq } from 'drizzle-orm';
import { expect } from 'vitest';
import { approvals } from '../../shared/db/schema.ts';
import { decide } from '../../shared/decide.ts';
import { propose } from '../../shared/propose.ts';
import { callKey, type House, house, OPERATOR } from './house.ts';

/** Two cards that the operator said yes to: one to attack, one to lend what it has. */
export interface GrantedRows {
  readonly h: House;
  readonly id: string;
  readonly other: string;
  /** Runs by the window that the first yes opened. */
  readonly underWindow: string;
}

export async function grantedRows(): Promise<GrantedRows> {
  const h = await house();
  const place = await h.newTask();
  const elsewhere = await h.newTask();
  const ask = (at: typeof place, command: string) =>
    propose(h.proposeDeps, { ...at, callKey: callKey(), target: 'lxc:web', command, purpose: '' });
  const granted = async (at: typeof place, command: string): Promise<string> => {
    const asked = await ask(at, command);
    if (asked.kind !== 'waiting') throw new Error(asked.kind);
    const { id } = asked.execution;
    const [card] = await h.db.select().from(approvals).where(eq(approvals.executionId, id));
    const yes = { approvalId: card?.id ?? '', decision: 'granted', by: OPERATOR } as const;
    expect((await decide(h.decideDeps, { ...yes, how: 'words', words: 'yes' })).kind).toBe(
      'granted',
    );
    return id;
  };
  const other = await granted(elsewhere, 'systemctl restart php-fpm');
  const id = await granted(place, 'systemctl restart nginx');
  const free = await ask(place, 'systemctl reload nginx');
  if (free.kind !== 'started') throw new Error(free.kind);
  return { h, id, other, underWindow: free.execution.id };
}
