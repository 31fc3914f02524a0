import { and, eq, gt, isNotNull, or, sql } from 'drizzle-orm';
import { readNow } from '../../shared/db/clock.ts';
import type { ExecutionRow } from '../../shared/db/executions.ts';
import { executionOutput, executions } from '../../shared/db/schema.ts';
import { refreshCard } from '../telling/card-content.ts';
import type { TellDeps } from '../telling/deps.ts';
import type { Chore } from './chores.ts';

/** More cards than this are not kept moving at once. */
const MOST = 8;

/**
 * Keeps what is on its way moving: the seconds in which a confirmed deed can still be called off,
 * and the last lines of a running command.
 */
export function liveCards(deps: TellDeps): Chore {
  const shown = new Map<string, string>();
  return async () => {
    const now = await readNow(deps.db);
    const rows = await movingCards(deps, now);
    for (const id of shown.keys())
      if (rows.every((row) => row.execution.id !== id)) shown.delete(id);
    for (const { execution, lines } of rows) {
      const state = execution.status === 'approved' ? `grace ${now.getTime()}` : `run ${lines}`;
      const before = shown.get(execution.id);
      shown.set(execution.id, state);
      // What the relay has just shown needs no second edit at once.
      if (before === undefined || before === state) continue;
      await refreshUntilTrue(deps, execution, now);
    }
  };
}

/** An edit that was overtaken by the end of the run must not be the last one. */
async function refreshUntilTrue(deps: TellDeps, row: ExecutionRow, now: Date): Promise<void> {
  await refreshCard(deps, row, `live.${row.id}.${now.getTime()}`);
  const [present] = await deps.db.select().from(executions).where(eq(executions.id, row.id));
  if (present && present.status !== row.status) {
    await refreshCard(deps, present, `live.${row.id}.${now.getTime()}.end`);
  }
}

function movingCards(deps: TellDeps, now: Date) {
  const lines = sql<number>`(select count(*)::int from ${executionOutput} o
    where o.execution_id = ${executions.id})`;
  return deps.db
    .select({ execution: executions, lines })
    .from(executions)
    .where(
      and(
        isNotNull(executions.cardEvent),
        or(
          and(eq(executions.status, 'approved'), gt(executions.notBefore, now)),
          eq(executions.status, 'running'),
        ),
      ),
    )
    .orderBy(executions.approvedAt)
    .limit(MOST);
}
