import { eq } from 'drizzle-orm';
import { expireApproval, settleApproval, withdrawApproval } from './approval-end.ts';
import { isAsProposed } from './as-judged.ts';
import { approvalOfExecution } from './db/approvals.ts';
import { audit } from './db/audit.ts';
import type { Db, Tx } from './db/client.ts';
import { movedMs, readNow } from './db/clock.ts';
import { advance, type ExecutionRow, lockExecution } from './db/executions.ts';
import { isLocked } from './db/locks.ts';
import { announce } from './db/outbox.ts';
import { whyUndecided } from './db/rooms.ts';
import { approvals, decisions } from './db/schema.ts';
import { lockTask, type TaskRow } from './db/tasks.ts';
import { openWindows, revokeWindows } from './db/windows.ts';
import { type DecisionWay, START_AFTER_YES_MS } from './domain/approval.ts';
import { confirms } from './domain/confirmation.ts';
import { grantPatch } from './grant.ts';
import { proposeIn } from './propose.ts';
import type { Sealer } from './seal.ts';
import { approvalContent, decisionContent } from './sealed.ts';
import { changedSinceCard } from './since-card.ts';
import { type TooEarly, tooEarly } from './too-early.ts';

type ApprovalRow = typeof approvals.$inferSelect;

export interface DecideAsk {
  readonly approvalId: string;
  readonly decision: 'granted' | 'denied';
  /** Who: an exact Matrix id. */
  readonly by: string;
  readonly how: DecisionWay;
  /** What was typed; a destructive card is granted by its own sentence only. */
  readonly words?: string | undefined;
  /** Why not, in the operator's words: the agent is told. */
  readonly why?: string | undefined;
  readonly eventId?: string | undefined;
  /** When that event reached us: what came before its card was made was no answer to it. */
  readonly heardAt?: Date | undefined;
  /** When it was said, by its server's clock. */
  readonly saidAt?: Date | undefined;
}

export type DecideAnswer =
  | { readonly kind: 'granted'; readonly execution: ExecutionRow }
  | { readonly kind: 'denied'; readonly execution: ExecutionRow }
  | { readonly kind: 'needs_phrase'; readonly sentence: { verb: string; object: string } }
  | { readonly kind: 'not_yours' }
  /** Nothing is decided in the card's room, and why not. */
  | { readonly kind: 'not_here'; readonly why: string }
  /**
   * The yes came late, and what the card showed is no longer so; `again` waits in its place. A daemon
   * looks at the files of `looking` first, and then shows it.
   */
  | {
      readonly kind: 'changed';
      readonly why: string;
      readonly again: number | null;
      readonly looking?: ExecutionRow;
    }
  | { readonly kind: 'unknown' }
  | { readonly kind: 'expired' }
  | TooEarly
  /** Its row is not what was proposed: nothing can be granted to it. */
  | { readonly kind: 'altered' }
  | {
      readonly kind: 'already';
      readonly status: string;
      readonly by: string | null;
      readonly at: Date | null;
    };

export interface DecideDeps {
  readonly db: Db;
  readonly ring: (execution: { id: string; site: string }) => Promise<void>;
  /** Exact membership in the operators' list; an empty list answers false for everybody. */
  readonly isOperator: (userId: string) => boolean;
  /** Whether a reaction opens the assent window too (setting `reactions_open_window`). */
  readonly reactionsOpenWindow: boolean;
  readonly seals: Sealer;
  /** How long a confirmed destruction, or a yes that gives access, can be called off. */
  readonly graceMs: number;
  /** A yes to a card older than this is checked against the fleet again. */
  readonly staleYesMs: number;
}

/**
 * The one way to say yes or no, from whatever path. The decision and the transition that it causes
 * commit together; the first decision wins, a later one learns what was decided. The same event
 * again (a crash came before its mark) gets the same answer.
 */
export async function decide(deps: DecideDeps, ask: DecideAsk): Promise<DecideAnswer> {
  const answer = await deps.db.transaction((tx) => decideIn(deps, tx, ask));
  // In its grace nobody need look at it yet: the sweep finds it when that is over.
  if (answer.kind === 'granted' && answer.execution.notBefore === null) {
    await deps.ring(answer.execution);
  }
  if (answer.kind === 'changed' && answer.looking) await deps.ring(answer.looking);
  return answer;
}

async function decideIn(deps: DecideDeps, tx: Tx, ask: DecideAsk): Promise<DecideAnswer> {
  const now = await readNow(tx);
  const [seen] = await tx.select().from(approvals).where(eq(approvals.id, ask.approvalId));
  if (!seen) return { kind: 'unknown' };
  if (!deps.isOperator(ask.by)) return turnAway(tx, ask, seen, { now, why: 'not an operator' });
  if (await isLocked(tx, ask.by, deps.seals))
    return turnAway(tx, ask, seen, { now, why: 'locked' });
  const undecided = await whyUndecided(tx, seen.roomId, deps.seals);
  if (undecided !== undefined) {
    await turnAway(tx, ask, seen, { now, why: undecided });
    return { kind: 'not_here', why: undecided };
  }
  // Lock order: task, execution, approval.
  const task = await lockTask(tx, seen.taskId);
  if (!task) return { kind: 'unknown' };
  const execution = await lockExecution(tx, seen.executionId);
  const approval = await lockApproval(tx, ask.approvalId);
  if (approval.status !== 'pending') return already(tx, ask, approval, execution);
  if (approval.expiresAt <= now) return expire(tx, approval, now);
  if (ask.decision === 'denied') return deny(deps, tx, ask, approval, now);
  if (!belongTogether(deps.seals, approval, execution)) {
    return refuseAltered(deps, tx, ask, approval, now);
  }
  const early = tooEarly(ask, approval, await movedMs(tx));
  if (early) {
    await turnAway(tx, ask, approval, {
      now,
      why: `older than the card by the clock of the ${early.clock}`,
    });
    return early;
  }
  const phrase = phraseOf(approval);
  if (execution.risk === 'destructive' && !(phrase && confirms(ask.words ?? '', phrase))) {
    return { kind: 'needs_phrase', sentence: phrase ?? { verb: '', object: '' } };
  }
  return grantUnlessChanged(deps, tx, { ask, approval, execution, task, now });
}

/** A yes that comes late is one to what the card showed then. */
async function grantUnlessChanged(
  deps: DecideDeps,
  tx: Tx,
  granting: Granting,
): Promise<DecideAnswer> {
  const { approval, execution, now } = granting;
  const stale = now.getTime() - approval.createdAt.getTime() > deps.staleYesMs;
  const changed = stale ? await changedSinceCard(tx, execution) : undefined;
  return changed === undefined ? grant(deps, tx, granting) : askAgain(deps, tx, granting, changed);
}

/** The old card is withdrawn and the same request waits on a new one, which shows what is so now. */
async function askAgain(
  { seals }: DecideDeps,
  tx: Tx,
  { ask, approval, execution, now }: Granting,
  why: string,
): Promise<DecideAnswer> {
  const reason = `${why}; nothing ran`;
  await withdrawApproval(tx, approval, { now, by: ask.by, reason, eventId: ask.eventId });
  const { taskId, turnId, callKey, targetSlug, command, purpose, declaredRisk } = execution;
  const answer = await proposeIn({ seals }, tx, {
    taskId,
    turnId,
    callKey: `${callKey}:again`,
    target: targetSlug,
    command,
    purpose,
    ...(declaredRisk && { declaredRisk }),
    onlyAsk: true,
  });
  if (answer.kind === 'looking') {
    return { kind: 'changed', why, again: null, looking: answer.execution };
  }
  if (answer.kind !== 'waiting') return { kind: 'changed', why, again: null };
  const { id, roomId, number } = answer.execution;
  const again = await approvalOfExecution(tx, id);
  await announce(tx, {
    type: 'execution.waiting',
    roomId,
    taskId,
    executionId: id,
    approvalId: again?.id ?? null,
    at: now,
  });
  return { kind: 'changed', why, again: number };
}

interface Granting {
  readonly ask: DecideAsk;
  readonly approval: ApprovalRow;
  readonly execution: ExecutionRow;
  readonly task: TaskRow;
  readonly now: Date;
}

async function grant(deps: DecideDeps, tx: Tx, granting: Granting): Promise<DecideAnswer> {
  const { ask, approval, execution, task, now } = granting;
  await settleApproval(tx, approval.id, 'granted', now);
  const { moved, row } = await advance(tx, approval.executionId, 'granted', {
    actor: ask.by,
    now,
    eventId: ask.eventId,
    patch: grantPatch(deps.seals, execution, {
      now,
      notBefore: graceOf(deps, granting),
      lifeMs: START_AFTER_YES_MS,
      authorization: { kind: 'approval', approvalId: approval.id },
    }),
    detail: { how: ask.how },
  });
  if (!moved)
    throw new Error(`pending approval ${approval.id} of an execution that is ${row.status}`);
  await record(deps, tx, ask, { approval, execution: row, now });
  if (ask.how !== 'reaction' || deps.reactionsOpenWindow) {
    await openWindows(tx, {
      execution: row,
      approvalId: approval.id,
      by: ask.by,
      task,
      now,
      seals: deps.seals,
    });
  }
  return { kind: 'granted', execution: row };
}

/** The card and its execution are the ones that `propose()` wrote, and belong together. */
function belongTogether(seals: Sealer, approval: ApprovalRow, execution: ExecutionRow): boolean {
  return (
    seals.fits('approval', approvalContent(approval), approval.seal) &&
    isAsProposed(execution, seals)
  );
}

/** Somebody changed the row since it was proposed: the yes was given to something else. */
async function refuseAltered(
  deps: DecideDeps,
  tx: Tx,
  ask: DecideAsk,
  approval: ApprovalRow,
  now: Date,
): Promise<DecideAnswer> {
  await settleApproval(tx, approval.id, 'denied', now);
  const { row } = await advance(tx, approval.executionId, 'denied', {
    actor: 'oikos',
    now,
    eventId: ask.eventId,
    patch: { reason: 'it was changed in the database since it was proposed; nothing ran' },
    detail: { why: 'the seal does not fit', triedBy: ask.by },
  });
  const refusal = { ...ask, decision: 'denied' as const, by: 'oikos' };
  await record(deps, tx, refusal, { approval, execution: row, now });
  return { kind: 'altered' };
}

/** Until when it can still be called off; null starts at once. */
function graceOf({ graceMs }: DecideDeps, { execution, now }: Granting): Date | null {
  const grave = execution.risk === 'destructive' || execution.gate.flags.includes('access');
  return grave && graceMs > 0 ? new Date(now.getTime() + graceMs) : null;
}

async function deny(
  deps: DecideDeps,
  tx: Tx,
  ask: DecideAsk,
  approval: ApprovalRow,
  now: Date,
): Promise<DecideAnswer> {
  await settleApproval(tx, approval.id, 'denied', now);
  const { row } = await advance(tx, approval.executionId, 'denied', {
    actor: ask.by,
    now,
    eventId: ask.eventId,
    patch: { reason: `${ask.by} said no${ask.why ? `: ${ask.why}` : ''}` },
    detail: { how: ask.how },
  });
  await record(deps, tx, ask, { approval, execution: row, now });
  await revokeWindows(tx, approval.taskId, now, ask.by, { tell: `${ask.by} said no` });
  return { kind: 'denied', execution: row };
}

async function record(
  { seals }: DecideDeps,
  tx: Tx,
  ask: DecideAsk,
  { approval, execution, now }: Pick<Granting, 'approval' | 'execution' | 'now'>,
): Promise<void> {
  const decision = {
    approvalId: approval.id,
    decision: ask.decision,
    by: ask.by,
    how: ask.how,
    eventId: ask.eventId ?? null,
    at: now,
  };
  await tx.insert(decisions).values({
    ...decision,
    words: ask.words ?? null,
    seal: seals.seal('decision', decisionContent(decision, execution)),
  });
  await announce(tx, {
    type: 'approval.decided',
    roomId: approval.roomId,
    taskId: approval.taskId,
    executionId: approval.executionId,
    approvalId: approval.id,
    at: now,
  });
}

async function expire(tx: Tx, approval: ApprovalRow, now: Date): Promise<DecideAnswer> {
  await expireApproval(tx, approval, now);
  return { kind: 'expired' };
}

async function lockApproval(tx: Tx, id: string): Promise<ApprovalRow> {
  const [row] = await tx.select().from(approvals).where(eq(approvals.id, id)).for('update');
  if (!row) throw new Error(`approval ${id} vanished`);
  return row;
}

async function already(
  tx: Tx,
  ask: DecideAsk,
  approval: ApprovalRow,
  execution: ExecutionRow,
): Promise<DecideAnswer> {
  const [last] = await tx
    .select()
    .from(decisions)
    .where(eq(decisions.approvalId, approval.id))
    .limit(1);
  if (ask.eventId !== undefined && last?.eventId === ask.eventId && last.by === ask.by) {
    return { kind: last.decision, execution };
  }
  const status = approval.status === 'granted' ? execution.status : approval.status;
  return { kind: 'already', status, by: last?.by ?? null, at: last?.at ?? approval.decidedAt };
}

/** Somebody who may not decide tried to: nothing changes, the ledger keeps it. */
async function turnAway(
  tx: Tx,
  ask: DecideAsk,
  approval: ApprovalRow,
  { now, why }: { now: Date; why: string },
): Promise<DecideAnswer> {
  await audit(tx, {
    at: now,
    kind: 'decision.ignored',
    actor: ask.by,
    taskId: approval.taskId,
    executionId: approval.executionId,
    approvalId: approval.id,
    eventId: ask.eventId ?? null,
    data: { decision: ask.decision, how: ask.how, why },
  });
  return { kind: 'not_yours' };
}

function phraseOf(approval: ApprovalRow) {
  const { phraseVerb, phraseObject, phraseAliases } = approval;
  if (phraseVerb === null || phraseObject === null) return null;
  return { verb: phraseVerb, object: phraseObject, aliases: phraseAliases };
}
