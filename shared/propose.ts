import { and, eq, inArray, isNotNull, sql } from 'drizzle-orm';
import { audit } from './db/audit.ts';
import type { Db, Tx } from './db/client.ts';
import { readNow } from './db/clock.ts';
import { type FleetEntity, fleetEntities } from './db/entities.ts';
import { advance, type ExecutionRow } from './db/executions.ts';
import { approvals, executions, turns } from './db/schema.ts';
import { lockTask, nextCardNumber, readsOfTask, type TaskRow, windowsOfTask } from './db/tasks.ts';
import { CARD_LIFE_MS, START_AFTER_GATE_MS } from './domain/approval.ts';
import type { Dialect } from './domain/dialect.ts';
import type { GateResult } from './domain/gate-result.ts';
import { phraseFor } from './domain/objects.ts';
import type { Read } from './domain/origin.ts';
import type { RiskClass } from './domain/risk.ts';
import { hostOf, resolveTarget, type Target } from './domain/target.ts';
import { clampTimeLimit } from './domain/time-limit.ts';
import { judge, type Verdict } from './domain/verdict.ts';
import { classify, type GateFacts } from './gate/classify.ts';
import { specHash } from './spec-hash.ts';

export interface ProposeAsk {
  readonly taskId: string;
  readonly turnId: string | null;
  /** `<turn>:<ordinal>`: makes a repeated call find the execution it already made. */
  readonly callKey: string;
  readonly target: string;
  readonly command: string;
  readonly purpose: string;
  readonly declaredRisk?: RiskClass | undefined;
  readonly timeLimitMs?: number | undefined;
}

export type ProposeAnswer =
  | { readonly kind: 'refused'; readonly reasons: readonly string[]; readonly hint?: string }
  | { readonly kind: 'duplicate'; readonly execution: ExecutionRow }
  | { readonly kind: 'waiting'; readonly execution: ExecutionRow }
  | { readonly kind: 'started'; readonly execution: ExecutionRow };

export interface ProposeDeps {
  readonly db: Db;
  /** Wakes a daemon for an approved row; best effort, the sweeper rings again. */
  readonly ring: (execution: { id: string; site: string }) => Promise<void>;
}

/** Cards that may wait at once, in a task and in a room: more would be approved unread. */
export const MAX_OPEN_CARDS = { task: 6, room: 12 } as const;

/**
 * The one way in: every command, whoever proposes it, is resolved, classified, judged and stored
 * here. Nothing runs by the answer itself: the daemon reads the row and judges again.
 */
export async function propose(deps: ProposeDeps, ask: ProposeAsk): Promise<ProposeAnswer> {
  const answer = await deps.db.transaction((tx) => proposeIn(tx, ask));
  if (answer.kind === 'started') await deps.ring(answer.execution);
  return answer;
}

async function proposeIn(tx: Tx, ask: ProposeAsk): Promise<ProposeAnswer> {
  const now = await readNow(tx);
  const task = await lockTask(tx, ask.taskId);
  if (!task) return refused('this task no longer exists');
  const known = await executionOfCall(tx, ask.callKey);
  if (known) return answerFor(known);
  const turn = await turnOf(tx, ask.turnId);
  if (turn && turn.stopEpoch < task.stopEpoch) return refused('the operator said stop');

  const fleet = await fleetEntities(tx);
  const resolved = resolveTarget(ask.target, fleet);
  if (!resolved.ok) return refuse(tx, ask, task, now, [resolved.reason]);
  const { target } = resolved;
  const facts = factsOf(target, fleet);
  const gate = classify({ command: ask.command, declaredRisk: ask.declaredRisk, facts });
  const hash = specHash(target, dialectOf(facts), ask.command);

  const same = await openTwin(tx, task.id, hash);
  if (same) return { kind: 'duplicate', execution: same };
  const reads = await readsOfTask(tx, task.id);
  const verdict = judge({
    gate,
    target,
    reads,
    agent: task.agent,
    taskId: task.id,
    windows: await windowsOfTask(tx, task.id),
    approvedBefore: await wasApproved(tx, task.id, hash),
    byOperator: turn?.byOperator ?? false,
    now,
  });
  const plan: Plan = { ask, task, target, facts, gate, hash, reads, verdict, turn, now, fleet };
  return store(tx, plan);
}

interface Plan {
  readonly ask: ProposeAsk;
  readonly task: TaskRow;
  readonly target: Target;
  readonly facts: GateFacts;
  readonly gate: GateResult;
  readonly hash: string;
  readonly reads: readonly Read[];
  readonly verdict: Verdict;
  readonly turn: typeof turns.$inferSelect | undefined;
  readonly now: Date;
  readonly fleet: readonly FleetEntity[];
}

async function store(tx: Tx, plan: Plan): Promise<ProposeAnswer> {
  const { ask, task, verdict, now } = plan;
  if (verdict.kind === 'ask') {
    const full = await cardLimit(tx, task);
    if (full) return refuse(tx, ask, task, now, [full]);
  }
  const row = await insertProposed(tx, plan);
  const change = { actor: `agent:${task.agent}`, now };
  if (verdict.kind === 'refuse') {
    const { moved, row: denied } = await advance(tx, row.id, 'denied', {
      ...change,
      patch: { reason: verdict.reasons.join('; '), seenInTurn: ask.turnId },
    });
    if (!moved) throw new Error(`a new execution is ${denied.status}`);
    return { ...verdict, kind: 'refused' };
  }
  if (verdict.kind === 'run') {
    const granted = await advance(tx, row.id, 'granted', {
      ...change,
      patch: {
        approvedAt: now,
        notAfter: new Date(now.getTime() + START_AFTER_GATE_MS),
        authorization: verdict.authorization,
      },
      detail: { authorization: verdict.authorization },
    });
    return { kind: 'started', execution: granted.row };
  }
  const asked = await advance(tx, row.id, 'asked', change);
  await insertApproval(tx, plan, asked.row);
  return { kind: 'waiting', execution: asked.row };
}

async function insertProposed(tx: Tx, plan: Plan): Promise<ExecutionRow> {
  const { ask, task, target, gate, verdict, now } = plan;
  const numbered = gate.risk !== 'read_only' && verdict.kind !== 'refuse';
  const [row] = await tx
    .insert(executions)
    .values({
      number: numbered ? await nextCardNumber(tx, task.roomId) : null,
      roomId: task.roomId,
      taskId: task.id,
      turnId: ask.turnId,
      callKey: ask.callKey,
      agent: task.agent,
      requestedBy: plan.turn?.requestedBy ?? `agent:${task.agent}`,
      status: 'proposed',
      targetKind: target.kind,
      targetSlug: target.slug,
      targetName: target.name,
      hostSlug: hostOf(target),
      vmid: target.kind === 'host' ? null : target.vmid,
      dialect: dialectOf(plan.facts),
      command: ask.command,
      specHash: plan.hash,
      purpose: ask.purpose,
      provenance: provenanceOf(plan.reads),
      declaredRisk: ask.declaredRisk ?? null,
      risk: gate.risk,
      gate,
      timeLimitMs: clampTimeLimit(gate.risk, ask.timeLimitMs),
      site: siteOf(target, plan.fleet),
      proposedAt: now,
    })
    .returning();
  if (!row) throw new Error('inserting an execution returned no row');
  await audit(tx, {
    at: now,
    kind: 'execution.proposed',
    actor: `agent:${task.agent}`,
    taskId: task.id,
    executionId: row.id,
    data: {
      target: target.slug,
      risk: gate.risk,
      declaredRisk: ask.declaredRisk,
      flags: gate.flags,
      rules: gate.parts.slice(0, 20).map((part) => ({ rule: part.rule, class: part.class })),
      policyVersion: gate.policyVersion,
      specHash: plan.hash,
    },
  });
  return row;
}

async function insertApproval(tx: Tx, plan: Plan, execution: ExecutionRow): Promise<void> {
  const { target, gate, now } = plan;
  const phrase = gate.risk === 'destructive' ? phraseFor(gate, target) : null;
  const unique = phrase ? await uniqueObject(tx, plan, phrase) : null;
  await tx.insert(approvals).values({
    executionId: execution.id,
    taskId: execution.taskId,
    roomId: execution.roomId,
    status: 'pending',
    phraseVerb: phrase?.verb ?? null,
    phraseObject: unique,
    expiresAt: new Date(now.getTime() + CARD_LIFE_MS),
    createdAt: now,
  });
}

/** Two cards of one room never share a sentence: the later one names its host too. */
async function uniqueObject(
  tx: Tx,
  plan: Plan,
  phrase: { verb: string; object: string },
): Promise<string> {
  const taken = await tx
    .select({ id: approvals.id })
    .from(approvals)
    .where(
      and(
        eq(approvals.roomId, plan.task.roomId),
        eq(approvals.status, 'pending'),
        eq(approvals.phraseVerb, phrase.verb),
        eq(approvals.phraseObject, phrase.object),
      ),
    );
  if (taken.length === 0) return phrase.object;
  return `${phrase.object}@${plan.target.slug.replace(/^[a-z]+:/, '')}`;
}

/** A refusal that left no execution behind still has its line in the ledger. */
async function refuse(
  tx: Tx,
  ask: ProposeAsk,
  task: TaskRow,
  now: Date,
  reasons: readonly string[],
): Promise<ProposeAnswer> {
  await audit(tx, {
    at: now,
    kind: 'proposal.refused',
    actor: `agent:${task.agent}`,
    taskId: task.id,
    data: { target: ask.target.slice(0, 200), reasons },
  });
  return { kind: 'refused', reasons };
}

function refused(reason: string): ProposeAnswer {
  return { kind: 'refused', reasons: [reason] };
}

/** The same call made again (a resumed turn): answer from the row it made. */
function answerFor(row: ExecutionRow): ProposeAnswer {
  if (row.status === 'pending_approval') return { kind: 'waiting', execution: row };
  if (row.status === 'denied' && row.approvedAt === null && row.number === null) {
    return { kind: 'refused', reasons: [row.reason ?? 'refused'] };
  }
  return { kind: 'started', execution: row };
}

async function executionOfCall(tx: Tx, callKey: string): Promise<ExecutionRow | undefined> {
  const [row] = await tx.select().from(executions).where(eq(executions.callKey, callKey));
  return row;
}

async function turnOf(tx: Tx, turnId: string | null) {
  if (turnId === null) return undefined;
  const [row] = await tx.select().from(turns).where(eq(turns.id, turnId));
  return row;
}

async function openTwin(tx: Tx, taskId: string, hash: string): Promise<ExecutionRow | undefined> {
  const [row] = await tx
    .select()
    .from(executions)
    .where(
      and(
        eq(executions.taskId, taskId),
        eq(executions.specHash, hash),
        inArray(executions.status, ['proposed', 'pending_approval', 'approved', 'running']),
      ),
    );
  return row;
}

async function wasApproved(tx: Tx, taskId: string, hash: string): Promise<boolean> {
  const rows = await tx
    .select({ id: executions.id })
    .from(executions)
    .where(
      and(
        eq(executions.taskId, taskId),
        eq(executions.specHash, hash),
        isNotNull(executions.approvedAt),
        sql`${executions.authorization} ->> 'kind' = 'approval'`,
      ),
    )
    .limit(1);
  return rows.length > 0;
}

async function cardLimit(tx: Tx, task: TaskRow): Promise<string | undefined> {
  const open = await tx
    .select({ taskId: approvals.taskId })
    .from(approvals)
    .where(and(eq(approvals.roomId, task.roomId), eq(approvals.status, 'pending')));
  const own = open.filter(({ taskId }) => taskId === task.id).length;
  if (own < MAX_OPEN_CARDS.task && open.length < MAX_OPEN_CARDS.room) return undefined;
  return `${own} cards of this task and ${open.length} of this room wait already; finish these first`;
}

function factsOf(target: Target, fleet: readonly FleetEntity[]): GateFacts {
  const entity = fleet.find(({ slug }) => slug === target.slug);
  const { shell, floor } = entity?.attributes ?? {};
  return { shell: shell ?? 'posix', targetKind: target.kind, ...(floor && { floor }) };
}

function dialectOf(facts: GateFacts): Dialect {
  return facts.shell;
}

function siteOf(target: Target, fleet: readonly FleetEntity[]): string {
  const host = fleet.find(({ slug }) => slug === hostOf(target));
  return host?.attributes.site ?? 'home';
}

function provenanceOf(reads: readonly Read[]): string | null {
  const foreign = reads
    .map(({ origin }) => origin)
    .filter((origin) => origin !== 'operator' && origin !== 'oikos');
  const places = [...new Set(foreign)].map((origin) => origin.replace(/^guest:/, ''));
  return places.length === 0 ? null : `proposed after reading output of ${places.join(', ')}`;
}
