import { and, asc, eq, inArray, isNull, lte, or, sql } from 'drizzle-orm';
import type { Db, Tx } from './client.ts';
import { agentSessions, approvals, decisions, executions } from './schema.ts';

export type ApprovalRow = typeof approvals.$inferSelect;
export type DecisionRow = typeof decisions.$inferSelect;
export type ExecutionWithApproval = {
  readonly approval: ApprovalRow;
  readonly execution: typeof executions.$inferSelect;
  /** The thread that the card's task lives in; null for the main timeline. */
  readonly threadRoot: string | null;
};

const CARD_COLUMNS = {
  approval: approvals,
  execution: executions,
  threadRoot: agentSessions.threadRoot,
};

/**
 * Cards of a room that wait for an answer, oldest first; with `decidedBy` also those which that
 * event has decided already, so that it can be judged again as it was.
 */
export async function pendingCards(
  db: Db | Tx,
  roomId: string,
  decidedBy?: string,
): Promise<ExecutionWithApproval[]> {
  const pending = eq(approvals.status, 'pending');
  const decided = db
    .select({ id: decisions.approvalId })
    .from(decisions)
    .where(eq(decisions.eventId, decidedBy ?? ''));
  return db
    .select(CARD_COLUMNS)
    .from(approvals)
    .innerJoin(executions, eq(executions.id, approvals.executionId))
    .innerJoin(agentSessions, eq(agentSessions.id, approvals.taskId))
    .where(
      and(
        eq(approvals.roomId, roomId),
        decidedBy === undefined ? pending : or(pending, inArray(approvals.id, decided)),
      ),
    )
    .orderBy(asc(executions.number));
}

/** Cards of all rooms that wait for an answer, oldest first. */
export async function allPendingCards(db: Db | Tx): Promise<ExecutionWithApproval[]> {
  return db
    .select(CARD_COLUMNS)
    .from(approvals)
    .innerJoin(executions, eq(executions.id, approvals.executionId))
    .innerJoin(agentSessions, eq(agentSessions.id, approvals.taskId))
    .where(eq(approvals.status, 'pending'))
    .orderBy(asc(approvals.createdAt));
}

export async function approvalOfExecution(
  db: Db | Tx,
  executionId: string,
): Promise<ApprovalRow | undefined> {
  const [row] = await db.select().from(approvals).where(eq(approvals.executionId, executionId));
  return row;
}

/** The card that one of our events is, whatever became of it. */
export async function approvalOfEvent(
  db: Db | Tx,
  eventId: string,
): Promise<ExecutionWithApproval | undefined> {
  const [row] = await db
    .select(CARD_COLUMNS)
    .from(approvals)
    .innerJoin(executions, eq(executions.id, approvals.executionId))
    .innerJoin(agentSessions, eq(agentSessions.id, approvals.taskId))
    .where(eq(approvals.cardEvent, eventId));
  return row;
}

/** The execution that one of our events shows: a card, or the line of a run under a window. */
export async function executionOfEvent(
  db: Db | Tx,
  eventId: string,
): Promise<typeof executions.$inferSelect | undefined> {
  const [row] = await db.select().from(executions).where(eq(executions.cardEvent, eventId));
  return row;
}

export async function decisionOf(
  db: Db | Tx,
  approvalId: string,
): Promise<DecisionRow | undefined> {
  const [row] = await db
    .select()
    .from(decisions)
    .where(eq(decisions.approvalId, approvalId))
    .orderBy(asc(decisions.at))
    .limit(1);
  return row;
}

/** The card's event came back to us by sync as number `seq`: from here on words may bind to it. */
export async function markShown(
  db: Db | Tx,
  approvalId: string,
  shown: { seq: number; at: Date; eventId: string; isCard: boolean },
): Promise<void> {
  const card = shown.isCard ? { cardSeq: shown.seq, cardEvent: shown.eventId } : {};
  await db
    .update(approvals)
    .set({ ...card, shownSeq: shown.seq, shownTs: shown.at })
    .where(
      and(
        eq(approvals.id, approvalId),
        or(isNull(approvals.shownSeq), lte(approvals.shownSeq, shown.seq)),
      ),
    );
}

export async function setApprovalCard(db: Db | Tx, id: string, eventId: string): Promise<void> {
  await db
    .update(approvals)
    .set({ cardEvent: sql`coalesce(${approvals.cardEvent}, ${eventId})` })
    .where(eq(approvals.id, id));
}
