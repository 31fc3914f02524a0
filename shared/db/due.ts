import { and, eq, isNotNull, isNull, lt, lte, or } from 'drizzle-orm';
import type { Db, Tx } from './client.ts';
import { approvals, executions } from './schema.ts';

/**
 * Approved work of a site since before `approvedBefore` whose grace is over: its ring was lost, nobody
 * was there, or it could still be called off until now.
 */
export async function overdueStarts(
  db: Db,
  site: string,
  { approvedBefore, now }: { approvedBefore: Date; now: Date },
) {
  return db
    .select({ id: executions.id, notAfter: executions.notAfter })
    .from(executions)
    .where(
      and(
        eq(executions.status, 'approved'),
        eq(executions.site, site),
        lt(executions.approvedAt, approvedBefore),
        or(isNull(executions.notBefore), lte(executions.notBefore, now)),
      ),
    )
    .orderBy(executions.approvedAt)
    .limit(200);
}

/** Proposals of a site that wait for a look since before `proposedBefore`. */
export async function waitingProposals(db: Db, site: string, proposedBefore: Date) {
  return db
    .select({ id: executions.id })
    .from(executions)
    .where(
      and(
        eq(executions.status, 'proposed'),
        eq(executions.site, site),
        lt(executions.proposedAt, proposedBefore),
      ),
    )
    .limit(200);
}

/** Proposals that waited for facts and never got them. */
export async function staleProposals(db: Db, proposedBefore: Date) {
  return db
    .select({ id: executions.id })
    .from(executions)
    .where(and(eq(executions.status, 'proposed'), lt(executions.proposedAt, proposedBefore)))
    .limit(200);
}

/** Cards whose life is over. */
export async function outlivedApprovals(db: Db, now: Date) {
  return db
    .select({
      id: approvals.id,
      executionId: approvals.executionId,
      taskId: approvals.taskId,
    })
    .from(approvals)
    .where(and(eq(approvals.status, 'pending'), lte(approvals.expiresAt, now)))
    .limit(200);
}

/** Own runs that somebody wants stopped. */
export async function stopRequests(db: Db | Tx, owner: string) {
  return db
    .select({ id: executions.id })
    .from(executions)
    .where(
      and(
        eq(executions.owner, owner),
        eq(executions.status, 'running'),
        isNotNull(executions.cancelRequestedAt),
      ),
    );
}

/** What `owner` claimed and did not end. */
export async function runsOf(db: Db | Tx, owner: string) {
  return db
    .select()
    .from(executions)
    .where(and(eq(executions.owner, owner), eq(executions.status, 'running')));
}
