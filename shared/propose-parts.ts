import { randomUUID } from 'node:crypto';
import { asc, eq } from 'drizzle-orm';
import type { Tx } from './db/client.ts';
import type { FleetEntity } from './db/entities.ts';
import type { ExecutionRow } from './db/executions.ts';
import { insertProposed, openTwin, type Proposal } from './db/proposals.ts';
import { executions } from './db/schema.ts';
import { readsOfTask, type TaskRow } from './db/tasks.ts';
import { needsFacts } from './domain/content.ts';
import type { GateResult } from './domain/gate-result.ts';
import type { Target } from './domain/target.ts';
import { classify } from './gate/classify.ts';
import type { GateFacts } from './gate/facts.ts';
import type { GatePolicy } from './gate/policy.ts';
import type { ProposeAnswer, ProposeAsk } from './propose-types.ts';
import type { Sealer } from './seal.ts';
import { type Settled, settleProposal } from './settle.ts';
import { specHash } from './spec-hash.ts';
import { dialectOf, touchedGuests } from './target-facts.ts';

/** A call whose target is known, before its command is judged. */
export interface Asked {
  readonly ask: ProposeAsk;
  readonly task: TaskRow;
  readonly target: Target;
  readonly facts: GateFacts;
  readonly policy: GatePolicy;
  readonly fleet: readonly FleetEntity[];
  readonly turn: Proposal['turn'];
  readonly now: Date;
  readonly seals: Sealer;
}

/** `looking`: a daemon must look at the command's files before it can be judged. */
export type Stored = ProposeAnswer | { readonly kind: 'looking'; readonly execution: ExecutionRow };

/** Judges and stores one command. */
export async function proposeOne(tx: Tx, asked: Asked, batchId?: string): Promise<Stored> {
  const { ask, task, target, now } = asked;
  const same = await openTwin(tx, task.id, target, ask.command);
  if (same) return { kind: 'duplicate', execution: same };
  const plan = await judged(tx, asked);
  const row = await insertProposed(tx, asked.seals, {
    ...plan,
    ...(batchId !== undefined && { batchId }),
  });
  if (needsFacts(plan.gate) && canEverRun(plan.gate)) return { kind: 'looking', execution: row };
  const actor = `agent:${task.agent}`;
  const settling = { task, found: null, actor, now, from: 'call', seals: asked.seals } as const;
  return answerWith(await settleProposal(tx, row, settling));
}

/** What the gate says of a call's command. */
export function judgeText({ ask, facts, policy }: Asked): GateResult {
  return classify({
    command: ask.command,
    facts,
    policy,
    ...(ask.declaredRisk && { declaredRisk: ask.declaredRisk }),
  });
}

async function judged(tx: Tx, asked: Asked): Promise<Proposal> {
  const { ask, target, facts, fleet, task } = asked;
  const gate = judgeText(asked);
  const guests = touchedGuests(gate, target, fleet);
  const hash = specHash(target, dialectOf(facts), ask.command, guests);
  return { ...asked, gate, guests, hash, reads: await readsOfTask(tx, task.id) };
}

/** What is refused whatever its files hold needs no look at them. */
function canEverRun(gate: GateResult): boolean {
  const unnamed = gate.risk === 'destructive' && !gate.confirm;
  return !unnamed && !gate.flags.includes('unbounded');
}

function answerWith({ verdict, row }: Settled): ProposeAnswer {
  switch (verdict.kind) {
    case 'refuse':
      return { ...verdict, kind: 'refused' };
    case 'run':
      return { kind: 'started', execution: row };
    case 'ask':
      return { kind: 'waiting', execution: row };
  }
}

/** One of the parts cannot be asked for: then none of them is stored. */
class PartRefused extends Error {
  override readonly name = 'PartRefused';
  readonly reasons: readonly string[];
  constructor(reasons: readonly string[]) {
    super(reasons.join('; '));
    this.reasons = reasons;
  }
}

/**
 * Stores the single commands that a loop stands for, each with its own card and sentence: all of
 * them, or none with the reasons of the first that is refused.
 */
export async function proposeParts(
  tx: Tx,
  asked: Asked,
  parts: readonly string[],
): Promise<ProposeAnswer> {
  const batchId = randomUUID();
  try {
    return await tx.transaction(async (inner) => {
      const rows: ExecutionRow[] = [];
      for (const [at, command] of parts.entries()) {
        const callKey = at === 0 ? asked.ask.callKey : `${asked.ask.callKey}/${at + 1}`;
        const ask = { ...asked.ask, command, callKey };
        const stored = await proposeOne(inner, { ...asked, ask }, batchId);
        rows.push(executionOf(stored, command));
      }
      return { kind: 'split', executions: rows };
    });
  } catch (error) {
    if (error instanceof PartRefused) return { kind: 'refused', reasons: error.reasons };
    throw error;
  }
}

function executionOf(stored: Stored, command: string): ExecutionRow {
  switch (stored.kind) {
    case 'refused':
      throw new PartRefused(stored.reasons.map((reason) => `${command}: ${reason}`));
    case 'duplicate':
      throw new PartRefused([`${command} was asked for already`]);
    case 'looking':
    case 'split':
      throw new PartRefused([`${command} must be asked for by itself`]);
    case 'waiting':
    case 'started':
      return stored.execution;
  }
}

/** All rows that one call made, in their order. */
export async function partsOf(tx: Tx, batchId: string): Promise<ExecutionRow[]> {
  return tx
    .select()
    .from(executions)
    .where(eq(executions.batchId, batchId))
    .orderBy(asc(executions.number));
}
