import { isAsProposed } from './as-judged.ts';
import { createdByTask } from './created-guests.ts';
import type { Tx } from './db/client.ts';
import { fleetEntities } from './db/entities.ts';
import { advance, type ExecutionRow } from './db/executions.ts';
import { announce } from './db/outbox.ts';
import { cardLimit, insertApproval, turnOf, wasApproved } from './db/proposals.ts';
import { whyUndecided } from './db/rooms.ts';
import { notePassed, noteUse, rulesAbout } from './db/rules.ts';
import { nextCardNumber, readsOfTask, type TaskRow, windowsOfTask } from './db/tasks.ts';
import { targetOf } from './db/windows.ts';
import { START_AFTER_GATE_MS } from './domain/approval.ts';
import { type ContentFacts, objections } from './domain/content.ts';
import { judge, type UsedRule, type Verdict } from './domain/verdict.ts';
import { simpleArgv } from './gate/argv.ts';
import { grantPatch } from './grant.ts';
import type { Sealer } from './seal.ts';
import { executionContent } from './sealed.ts';
import { specHash } from './spec-hash.ts';
import { identityOf } from './target-facts.ts';

/** What became of a proposal, with the row as it is now. */
export interface Settled {
  readonly verdict: Verdict;
  readonly row: ExecutionRow;
}

/** What an execution was found to need, if anything: facts, or why there can be none. */
export type Finding = ContentFacts | { readonly trouble: string } | null;

export interface Settling {
  readonly task: TaskRow;
  readonly found: Finding;
  readonly actor: string;
  readonly now: Date;
  readonly seals: Sealer;
  /** `call`: the answer goes back to the call at once. `daemon`: its turn may be over by now. */
  readonly from: 'call' | 'daemon';
}

/**
 * The one way out of `proposed`: approved, pending_approval or denied. Called by `propose()` at once,
 * or by a daemon that has looked at the target first; the caller holds the task's lock. What was
 * found can only forbid: the class stays what it was.
 */
export async function settleProposal(
  tx: Tx,
  row: ExecutionRow,
  settling: Settling,
): Promise<Settled> {
  const { found, now, actor, task, seals } = settling;
  const facts = found === null || 'trouble' in found ? null : found;
  const verdict = await verdictOn(tx, row, settling);
  const change = { actor, now };
  if (verdict.kind === 'refuse') {
    const seenInTurn = settling.from === 'call' ? row.turnId : null;
    const patch = { facts, reason: verdict.reasons.join('; '), seenInTurn };
    return { verdict, row: await moved(tx, row, 'denied', { ...change, patch }) };
  }
  const number = (await isNamed(tx, row)) ? await nextCardNumber(tx, task.roomId) : null;
  const patch = { number, facts, specHash: hashOf(row, facts) };
  if (verdict.kind === 'ask') {
    const seal = seals.seal('execution', executionContent({ ...row, ...patch }));
    const asked = await moved(tx, row, 'asked', { ...change, patch: { ...patch, seal } });
    const approval = await insertApproval(tx, seals, asked, now);
    for (const { rule, why } of verdict.passed ?? []) {
      await notePassed(tx, rule, { executionId: row.id, taskId: task.id, now, why });
    }
    if (settling.from === 'daemon') await showCard(tx, asked, approval.id, now);
    return { verdict, row: asked };
  }
  const { authorization } = verdict;
  const granting = { now, lifeMs: START_AFTER_GATE_MS, authorization };
  const granted = await moved(tx, row, 'granted', {
    ...change,
    patch: { ...patch, ...grantPatch(seals, { ...row, ...patch }, granting) },
    detail: { authorization },
  });
  if (verdict.rule) await noteUse(tx, verdict.rule, { executionId: row.id, taskId: task.id, now });
  return { verdict, row: granted };
}

async function verdictOn(
  tx: Tx,
  row: ExecutionRow,
  { task, found, now, seals }: Settling,
): Promise<Verdict> {
  const { gate } = row;
  // A daemon may come to it much later: it must still be what was proposed.
  if (!isAsProposed(row, seals)) {
    return { kind: 'refuse', reasons: ['it was changed in the database since it was proposed'] };
  }
  const reasons = found === null ? [] : troublesOf(row, found);
  if (reasons.length > 0) return { kind: 'refuse', reasons };
  const turn = await turnOf(tx, row.turnId);
  const facts = found === null || 'trouble' in found ? null : found;
  const windows = await windowsOfTask(tx, task.id);
  const undecided = await whyUndecided(tx, task.roomId, seals);
  const listed = undecided === undefined;
  const target = targetOf(row);
  const argv = simpleArgv(row.command, row.dialect);
  const judged = judge({
    gate,
    target,
    argv,
    identity: identityOf(target, await fleetEntities(tx)),
    rules: listed ? await rulesFor(tx, row, argv, now) : [],
    created: await createdByTask(tx, task.id, gate),
    reads: await readsOfTask(tx, task.id),
    agent: task.agent,
    taskId: task.id,
    // A yes that came while the target was looked at was given to something else.
    windows: windows.filter(({ openedAt }) => openedAt <= row.proposedAt),
    approvedBefore: await wasApproved(tx, task.id, hashOf(row, facts)),
    // A room that was taken off the list lets nothing run by what was said in it before.
    byOperator: listed && (turn?.byOperator ?? false),
    now,
  });
  const verdict: Verdict = row.onlyAsk && judged.kind === 'run' ? { kind: 'ask' } : judged;
  if (verdict.kind !== 'ask') return verdict;
  const full = listed
    ? await cardLimit(tx, task)
    : `${undecided}, so nothing can be approved in it; only what reads runs here`;
  return full === undefined ? verdict : { kind: 'refuse', reasons: [full] };
}

/** A look of the agent's needs no name; what a person typed is shown and can be asked about. */
async function isNamed(tx: Tx, row: ExecutionRow): Promise<boolean> {
  if (row.gate.risk !== 'read_only') return true;
  return (await turnOf(tx, row.turnId))?.trigger === 'command';
}

/** Only what asks otherwise takes the lock of a rule. */
async function rulesFor(
  tx: Tx,
  { agent, targetSlug: slug, gate }: ExecutionRow,
  argv: readonly string[] | undefined,
  now: Date,
): Promise<UsedRule[]> {
  if (!argv || gate.risk === 'read_only' || gate.risk === 'destructive') return [];
  return rulesAbout(tx, { agent, slug, argv }, now);
}

function troublesOf(row: ExecutionRow, found: NonNullable<Finding>): readonly string[] {
  return 'trouble' in found ? [found.trouble] : objections(row.gate, found);
}

function hashOf(row: ExecutionRow, facts: ContentFacts | null): string {
  return specHash(targetOf(row), row.dialect, row.command, row.guests, facts);
}

async function moved(
  tx: Tx,
  { id }: ExecutionRow,
  event: 'asked' | 'granted' | 'denied',
  change: Parameters<typeof advance>[3],
): Promise<ExecutionRow> {
  const { moved: done, row } = await advance(tx, id, event, change);
  if (!done) throw new Error(`a proposal is ${row.status} already`);
  return row;
}

/** The end of a turn shows its cards; one that is made after that shows itself. */
async function showCard(tx: Tx, row: ExecutionRow, approvalId: string, now: Date): Promise<void> {
  const turn = await turnOf(tx, row.turnId);
  if (turn === undefined || turn.status !== 'ended') return;
  await announce(tx, {
    type: 'execution.waiting',
    roomId: row.roomId,
    taskId: row.taskId,
    executionId: row.id,
    approvalId,
    at: now,
  });
}
