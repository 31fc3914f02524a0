import { and, eq, isNull, or } from 'drizzle-orm';
import { withdrawApproval } from './approval-end.ts';
import type { Db, Tx } from './db/client.ts';
import { readNow } from './db/clock.ts';
import { lockPerson } from './db/locks.ts';
import { agentSessions, approvals, executions, windows } from './db/schema.ts';
import { lockTask } from './db/tasks.ts';
import { revokeWindows } from './db/windows.ts';
import type { Sealer } from './seal.ts';

export interface Closed {
  readonly windows: number;
  readonly cards: number;
}

/**
 * Nothing of this person decides anything from now on (a lost phone, a stolen account): what their
 * yes keeps open closes, and the cards that wait for what they asked are withdrawn. Null: they were
 * locked already.
 */
export function lockOperator(
  { db, seals }: { readonly db: Db; readonly seals: Sealer },
  person: string,
  { by, eventId }: { by: string; eventId?: string | undefined },
): Promise<Closed | null> {
  return db.transaction(async (tx) => {
    const now = await readNow(tx);
    if (!(await lockPerson(tx, seals, person, { by, now, eventId }))) return null;
    const closed = { windows: 0, cards: 0 };
    for (const taskId of await tasksOf(tx, person)) {
      await lockTask(tx, taskId);
      const tell = `${person} is locked`;
      closed.windows += await revokeWindows(tx, taskId, now, by, { tell });
      for (const card of await cardsOf(tx, taskId, person)) {
        await withdrawApproval(tx, card, { now, by, reason: tell, eventId });
        closed.cards += 1;
      }
    }
    return closed;
  });
}

/** Tasks where something of theirs is open, in the order in which locks are taken. */
async function tasksOf(tx: Tx, person: string): Promise<string[]> {
  const opened = and(eq(windows.openedBy, person), isNull(windows.revokedAt));
  const asked = and(eq(executions.requestedBy, person), eq(approvals.status, 'pending'));
  const rows = await tx
    .selectDistinct({ id: agentSessions.id })
    .from(agentSessions)
    .leftJoin(windows, eq(windows.taskId, agentSessions.id))
    .leftJoin(executions, eq(executions.taskId, agentSessions.id))
    .leftJoin(approvals, eq(approvals.executionId, executions.id))
    .where(or(opened, asked))
    .orderBy(agentSessions.id);
  return rows.map(({ id }) => id);
}

function cardsOf(tx: Tx, taskId: string, person: string) {
  return tx
    .select({ id: approvals.id, executionId: approvals.executionId })
    .from(approvals)
    .innerJoin(executions, eq(executions.id, approvals.executionId))
    .where(
      and(
        eq(approvals.taskId, taskId),
        eq(approvals.status, 'pending'),
        eq(executions.requestedBy, person),
      ),
    );
}
