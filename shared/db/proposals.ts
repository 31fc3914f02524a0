import { randomUUID } from 'node:crypto';
import { and, count, eq, gt, inArray, isNotNull, isNull, notInArray, or, sql } from 'drizzle-orm';
import { CARD_LIFE_MS } from '../domain/approval.ts';
import { matchesOf } from '../domain/content.ts';
import type { GateResult } from '../domain/gate-result.ts';
import { phraseFor } from '../domain/objects.ts';
import type { Read } from '../domain/origin.ts';
import type { NamedGuest } from '../domain/spec.ts';
import { hostOf, type Target } from '../domain/target.ts';
import { clampTimeLimit } from '../domain/time-limit.ts';
import type { GateFacts } from '../gate/facts.ts';
import { MAX_OPEN_CARDS, MAX_UNASKED_PROPOSALS, type ProposeAsk } from '../propose-types.ts';
import type { Sealer } from '../seal.ts';
import { approvalContent, executionContent } from '../sealed.ts';
import { storableText, storableValue } from '../storable.ts';
import { dialectOf, provenanceOf, siteOf } from '../target-facts.ts';
import type { ApprovalRow } from './approvals.ts';
import { audit } from './audit.ts';
import type { Tx } from './client.ts';
import type { FleetEntity } from './entities.ts';
import type { ExecutionRow } from './executions.ts';
import { approvals, executions, turns } from './schema.ts';
import type { TaskRow } from './tasks.ts';
import { targetOf } from './windows.ts';

/** A proposal as it was judged, ready to be stored. */
export interface Proposal {
  readonly ask: ProposeAsk;
  readonly task: TaskRow;
  readonly target: Target;
  readonly facts: GateFacts;
  readonly gate: GateResult;
  readonly guests: readonly NamedGuest[];
  readonly hash: string;
  readonly reads: readonly Read[];
  readonly turn: typeof turns.$inferSelect | undefined;
  readonly now: Date;
  readonly fleet: readonly FleetEntity[];
  /** Shared by the rows that one call made. */
  readonly batchId?: string;
}

export async function insertProposed(tx: Tx, seals: Sealer, plan: Proposal): Promise<ExecutionRow> {
  const { ask, task, target, gate, now } = plan;
  const sealed = {
    id: randomUUID(),
    number: null,
    roomId: task.roomId,
    taskId: task.id,
    turnId: ask.turnId,
    agent: task.agent,
    requestedBy: plan.turn?.requestedBy ?? `agent:${task.agent}`,
    specHash: plan.hash,
    risk: gate.risk,
    gate: storableValue(gate),
    timeLimitMs: clampTimeLimit(gate.risk, ask.timeLimitMs),
    site: siteOf(target, plan.fleet),
    onlyAsk: ask.onlyAsk ?? false,
    proposedAt: now,
    authorization: null,
    approvedAt: null,
    notBefore: null,
    notAfter: null,
  };
  const [row] = await tx
    .insert(executions)
    .values({
      ...sealed,
      seal: seals.seal('execution', executionContent(sealed)),
      callKey: ask.callKey,
      batchId: plan.batchId ?? null,
      status: 'proposed',
      targetKind: target.kind,
      targetSlug: target.slug,
      targetName: target.name,
      hostSlug: hostOf(target),
      vmid: target.kind === 'host' ? null : target.vmid,
      dialect: dialectOf(plan.facts),
      command: ask.command,
      guests: [...plan.guests],
      purpose: storableText(ask.purpose),
      provenance: provenanceOf(plan.reads),
      declaredRisk: ask.declaredRisk ?? null,
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
      settingsHash: gate.settingsHash,
      specHash: plan.hash,
    },
  });
  return row;
}

export async function insertApproval(
  tx: Tx,
  seals: Sealer,
  execution: ExecutionRow,
  now: Date,
): Promise<ApprovalRow> {
  const { gate, guests, facts, roomId } = execution;
  const target = targetOf(execution);
  const phrase = gate.risk === 'destructive' ? phraseFor(gate, target, matchesOf(facts)) : null;
  const taken = phrase ? await namesInUse(tx, roomId, phrase.verb) : new Set<string>();
  const [guest] = guests;
  const named = phrase && guest?.key.endsWith(`/${phrase.object}`);
  // The exact name and kind:id mean the same guest.
  const aliases =
    named && guest ? [guest.key.replace('/', ':'), ...(guest.name ? [guest.name] : [])] : [];
  const sealed = {
    id: randomUUID(),
    executionId: execution.id,
    taskId: execution.taskId,
    roomId: execution.roomId,
    phraseVerb: phrase?.verb ?? null,
    phraseObject: phrase ? freeName(phrase.object, target, taken) : null,
    phraseAliases: aliases.filter((alias) => !taken.has(alias)),
    createdAt: now,
    expiresAt: new Date(now.getTime() + CARD_LIFE_MS),
  };
  const seal = seals.seal('approval', approvalContent(sealed));
  const [row] = await tx
    .insert(approvals)
    .values({ ...sealed, status: 'pending', seal })
    .returning();
  if (!row) throw new Error('inserting an approval returned no row');
  return row;
}

/** What the room's pending cards of this verb are confirmed by. */
async function namesInUse(tx: Tx, roomId: string, verb: string): Promise<ReadonlySet<string>> {
  const rows = await tx
    .select({ object: approvals.phraseObject, aliases: approvals.phraseAliases })
    .from(approvals)
    .where(
      and(
        eq(approvals.roomId, roomId),
        eq(approvals.status, 'pending'),
        eq(approvals.phraseVerb, verb),
      ),
    );
  return new Set(rows.flatMap(({ object, aliases }) => [object ?? '', ...aliases]));
}

/** Two cards of one room never share a sentence: the later one names its host too, then counts. */
function freeName(object: string, target: Target, taken: ReadonlySet<string>): string {
  if (!taken.has(object)) return object;
  const placed = `${object}@${target.slug.replace(/^[a-z]+:/, '')}`;
  let name = placed;
  for (let n = 2; taken.has(name); n += 1) name = `${placed}/${n}`;
  return name;
}

export async function executionOfCall(tx: Tx, callKey: string): Promise<ExecutionRow | undefined> {
  const [row] = await tx.select().from(executions).where(eq(executions.callKey, callKey));
  return row;
}

export async function turnOf(tx: Tx, turnId: string | null) {
  if (turnId === null) return undefined;
  const [row] = await tx.select().from(turns).where(eq(turns.id, turnId));
  return row;
}

/** The same request, not yet over. Its hash may hold facts by now that this one cannot have. */
export async function openTwin(
  tx: Tx,
  taskId: string,
  target: Target,
  command: string,
): Promise<ExecutionRow | undefined> {
  const [row] = await tx
    .select()
    .from(executions)
    .where(
      and(
        eq(executions.taskId, taskId),
        eq(executions.targetSlug, target.slug),
        eq(executions.command, command),
        inArray(executions.status, ['proposed', 'pending_approval', 'approved', 'running']),
      ),
    );
  return row;
}

export async function wasApproved(tx: Tx, taskId: string, hash: string): Promise<boolean> {
  const rows = await tx
    .select({ id: executions.id })
    .from(executions)
    .where(
      and(
        eq(executions.taskId, taskId),
        eq(executions.specHash, hash),
        isNotNull(executions.approvedAt),
        // A yes that was taken back, or whose work never started, is no yes to this.
        notInArray(executions.status, ['cancelled', 'expired', 'refused', 'denied']),
        sql`${executions.authorization} ->> 'kind' = 'approval'`,
      ),
    )
    .limit(1);
  return rows.length > 0;
}

export async function cardLimit(tx: Tx, task: TaskRow): Promise<string | undefined> {
  const open = await tx
    .select({ taskId: approvals.taskId })
    .from(approvals)
    .where(and(eq(approvals.roomId, task.roomId), eq(approvals.status, 'pending')));
  const own = open.filter(({ taskId }) => taskId === task.id).length;
  if (own < MAX_OPEN_CARDS.task && open.length < MAX_OPEN_CARDS.room) return undefined;
  return `${own} cards of this task and ${open.length} of this room wait already; finish these first`;
}

/** Outside operators' turns a loop, a viewer or a program may ask for so much in an hour, over all rooms. */
export async function proposalLimit(tx: Tx, agent: string, now: Date): Promise<string | undefined> {
  const [row] = await tx
    .select({ count: count() })
    .from(executions)
    .leftJoin(turns, eq(turns.id, executions.turnId))
    .where(
      and(
        eq(executions.agent, agent),
        gt(executions.proposedAt, new Date(now.getTime() - 60 * 60_000)),
        or(isNull(turns.id), eq(turns.byOperator, false)),
      ),
    );
  if ((row?.count ?? 0) < MAX_UNASKED_PROPOSALS) return undefined;
  return `${MAX_UNASKED_PROPOSALS} commands in an hour were asked for by nobody who may decide; an operator must ask for more`;
}
