import { and, eq, inArray, sql } from 'drizzle-orm';
import { createdByTask } from '../shared/created-guests.ts';
import { grantOf } from '../shared/db/approvals.ts';
import type { Db, Tx } from '../shared/db/client.ts';
import { clockTrouble } from '../shared/db/clock.ts';
import { advance, type ExecutionRow, lockExecution } from '../shared/db/executions.ts';
import { readGateGround } from '../shared/db/gate-ground.ts';
import { settingsTrouble } from '../shared/db/gate-settings-seal.ts';
import { holdRule, standingRule, usesBefore } from '../shared/db/rules.ts';
import { approvals, auditEvents, executions, windows } from '../shared/db/schema.ts';
import { lockTask } from '../shared/db/tasks.ts';
import type { GateResult } from '../shared/domain/gate-result.ts';
import type { StandingRule } from '../shared/domain/rule.ts';
import type { GateGround } from '../shared/gate-facts.ts';
import { type Ended, SETTLED } from '../shared/ledger-memory.ts';
import type { Sealer } from '../shared/seal.ts';
import { parseAuthorization } from './authorization.ts';
import { type StartProof, type StartVerdict, verifyStart } from './verify.ts';

/** How long a claim is good for without being renewed. */
export const LEASE_MS = 20_000;

export interface Claimer {
  readonly owner: string;
  readonly hosts: ReadonlySet<string>;
  readonly seals: Sealer;
  /** Whether the ledger ever told this process of that end, whatever it tells now. */
  readonly tellsEnd: (what: Ended, id: string) => boolean;
}

export type Judged =
  | {
      readonly kind: 'start';
      readonly row: ExecutionRow;
      readonly gate: GateResult;
      /** The second classification alone. */
      readonly present: GateResult;
      readonly rule?: StandingRule | undefined;
      readonly ground: GateGround;
    }
  /** Ended here: refused or expired, the row says why. */
  | { readonly kind: 'ended'; readonly row: ExecutionRow }
  /** Not approved (any more): somebody else's business. */
  | { readonly kind: 'dropped' };

/** Verifies without claiming: what will be refused anyway needs no connection. */
export function judgeStart(db: Db, id: string, claimer: Claimer): Promise<Judged> {
  return settleStart(db, id, claimer, (_tx, judged) => Promise.resolve(judged));
}

/**
 * Ends what cannot start here, with the reason in words. Only what still waits for its start: by now
 * another daemon may run it.
 */
export function refuseStart(
  db: Db,
  id: string,
  claimer: Claimer,
  reason: string,
): Promise<Exclude<Judged, { kind: 'start' }>> {
  return withApproved(db, id, async (tx, row, now) => {
    const patch = { reason };
    const ended = await advance(tx, row.id, 'refused', { actor: claimer.owner, now, patch });
    return { kind: 'ended', row: ended.row };
  });
}

/**
 * Verifies and claims in one transaction; of racing callers one gets `start`. The task's lock comes
 * first, so that a stop of the task finds the run either queued or running, never in between.
 */
export function claimStart(
  db: Db,
  id: string,
  claimer: Claimer,
  bootBefore: string | null,
): Promise<Judged> {
  return settleStart(db, id, claimer, async (tx, judged, now) => {
    const { moved, row } = await advance(tx, id, 'claimed', {
      actor: claimer.owner,
      now,
      locked: judged.row,
      patch: {
        startedAt: now,
        bootBefore,
        owner: claimer.owner,
        leaseUntil: new Date(now.getTime() + LEASE_MS),
      },
      detail: judgedAgain(judged.present),
    });
    return moved ? { ...judged, row } : { kind: 'dropped' };
  });
}

/** Verified, and with the gate's present verdict. */
export type Startable = Extract<Judged, { kind: 'start' }>;

function settleStart(
  db: Db,
  id: string,
  claimer: Claimer,
  onStart: (tx: Tx, judged: Startable, now: Date) => Promise<Judged>,
): Promise<Judged> {
  return withApproved(db, id, async (tx, row, now): Promise<Judged> => {
    const verdict = await verdictOf(tx, row, claimer, now);
    if (verdict.kind === 'start') return onStart(tx, { ...verdict, row }, now);
    const ended = await advance(tx, id, verdict.kind, {
      actor: claimer.owner,
      now,
      patch: { reason: verdict.reason },
      detail: judgedAgain(verdict.present),
    });
    return { kind: 'ended', row: ended.row };
  });
}

/** Locks an execution that still waits for its start; anything else is dropped. */
function withApproved<T>(
  db: Db,
  id: string,
  act: (tx: Tx, row: ExecutionRow, now: Date) => Promise<T>,
): Promise<T | { readonly kind: 'dropped' }> {
  return db.transaction(async (tx) => {
    const [seen] = await tx
      .select({
        taskId: executions.taskId,
        status: executions.status,
        now: sql<string>`oikos_now()`,
      })
      .from(executions)
      .where(eq(executions.id, id));
    if (seen?.status !== 'approved') return { kind: 'dropped' } as const;
    const now = new Date(seen.now);
    await lockTask(tx, seen.taskId);
    const row = await lockExecution(tx, id);
    // It can still be called off: whoever rang comes too early, the sweep comes again.
    if (row.notBefore !== null && now < row.notBefore) return { kind: 'dropped' };
    return row.status === 'approved' ? act(tx, row, now) : ({ kind: 'dropped' } as const);
  });
}

async function verdictOf(
  tx: Tx,
  row: ExecutionRow,
  claimer: Claimer,
  now: Date,
): Promise<StartVerdict> {
  const facts = {
    ground: await readGateGround(tx),
    hostKnown: claimer.hosts.has(row.hostSlug),
    settledBefore: (await wasSettled(tx, row.id)) || claimer.tellsEnd('execution', row.id),
    settingsTrouble: await settingsTrouble(tx, claimer.seals),
    clockTrouble: await clockTrouble(tx, claimer.seals, new Date()),
    seals: claimer.seals,
  };
  return verifyStart(row, facts, await proofOf(tx, row, claimer), now);
}

/** A status can be set back by whoever writes to the database; the ledger cannot, unnoticed. */
async function wasSettled(tx: Tx, executionId: string): Promise<boolean> {
  const found = await tx
    .select({ seq: auditEvents.seq })
    .from(auditEvents)
    .where(and(eq(auditEvents.executionId, executionId), inArray(auditEvents.kind, [...SETTLED])))
    .limit(1);
  return found.length > 0;
}

/** When a window was closed: by its row, or by the ledger when the row has forgotten. */
async function closedAt(
  tx: Tx,
  { id, taskId, revokedAt, openedAt }: typeof windows.$inferSelect,
  { tellsEnd }: Claimer,
): Promise<Date | null> {
  const [closed] = await tx
    .select({ at: auditEvents.at })
    .from(auditEvents)
    .where(
      and(
        eq(auditEvents.taskId, taskId),
        eq(auditEvents.kind, 'window.closed'),
        sql`${auditEvents.data} ->> 'window' = ${id}`,
      ),
    )
    .limit(1);
  return revokedAt ?? closed?.at ?? (tellsEnd('window', id) ? openedAt : null);
}

/** The second classification for the ledger, with the rules and settings that it was made by. */
function judgedAgain(present: GateResult | undefined): Record<string, unknown> {
  if (!present) return {};
  const { risk, flags, policyVersion, settingsHash } = present;
  return { judgedAgain: { risk, flags, policyVersion, settingsHash } };
}

async function proofOf(tx: Tx, row: ExecutionRow, claimer: Claimer): Promise<StartProof> {
  const authorization = parseAuthorization(row.authorization);
  switch (authorization?.kind) {
    case 'approval': {
      const { approvalId } = authorization;
      const [approval] = await tx
        .select()
        .from(approvals)
        .where(eq(approvals.id, approvalId))
        .for('share');
      return { approval, decision: await grantOf(tx, approvalId) };
    }
    case 'window': {
      const { windowId } = authorization;
      const [window] = await tx.select().from(windows).where(eq(windows.id, windowId)).for('share');
      return {
        window: window && { ...window, revokedAt: await closedAt(tx, window, claimer) },
        created: await createdByTask(tx, row.taskId, row.gate),
      };
    }
    case 'pattern':
    case 'rule':
      return { rule: await ruleProof(tx, row, authorization.ruleId, claimer) };
    case 'read_only':
    case undefined:
      return {};
  }
}

async function ruleProof(
  tx: Tx,
  { id, approvedAt }: ExecutionRow,
  ruleId: string,
  { tellsEnd }: Claimer,
): Promise<StartProof['rule']> {
  const held = await holdRule(tx, ruleId);
  if (!held || approvedAt === null) return undefined;
  const uses = await usesBefore(tx, ruleId, { id, approvedAt });
  const revokedAt = held.revokedAt ?? (tellsEnd('rule', ruleId) ? held.createdAt : null);
  return { rule: standingRule({ ...held, revokedAt }), seal: held.seal, uses };
}
