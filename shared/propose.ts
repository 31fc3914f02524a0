import { audit } from './db/audit.ts';
import type { Tx } from './db/client.ts';
import { readNow } from './db/clock.ts';
import type { ExecutionRow } from './db/executions.ts';
import { readGateGround } from './db/gate-ground.ts';
import { executionOfCall, proposalLimit, turnOf } from './db/proposals.ts';
import { lockTask, type TaskRow } from './db/tasks.ts';
import { resolveTarget } from './domain/target.ts';
import { splitByObject } from './gate/split.ts';
import { factsOf } from './gate-facts.ts';
import { partsOf, proposeOne, proposeParts, type Stored } from './propose-parts.ts';
import type { ProposeAnswer, ProposeAsk, ProposeDeps } from './propose-types.ts';

export type { ProposeAnswer, ProposeAsk, ProposeDeps } from './propose-types.ts';

const NO_SHELL_TEXT = 'the command holds characters that no shell takes (NUL or half a character)';

/**
 * The one way in: every command, whoever proposes it, is resolved, classified, judged and stored
 * here. Nothing runs by the answer itself: the daemon reads the row and judges again.
 */
export async function propose(deps: ProposeDeps, ask: ProposeAsk): Promise<ProposeAnswer> {
  const answer = await deps.db.transaction((tx) => proposeIn(tx, ask));
  if (answer.kind === 'started') await deps.ring(answer.execution);
  if (answer.kind === 'split') {
    for (const part of answer.executions) if (part.status === 'approved') await deps.ring(part);
  }
  if (answer.kind !== 'looking') return answer;
  await deps.ring(answer.execution);
  return answerFor(await deps.waitForLook(answer.execution.id));
}

/** The same inside the caller's transaction; who calls this rings for what it starts. */
export async function proposeIn(tx: Tx, ask: ProposeAsk): Promise<Stored> {
  const now = await readNow(tx);
  const task = await lockTask(tx, ask.taskId);
  if (!task) return refused('this task no longer exists');
  const known = await executionOfCall(tx, ask.callKey);
  if (known) return answerAgain(tx, known);
  const turn = await turnOf(tx, ask.turnId);
  if (turn && turn.stopEpoch < task.stopEpoch) return refused('the operator said stop');

  const refuseWith = (...reasons: string[]) => refuse(tx, ask, task, now, reasons);
  if (!isShellText(ask.command)) return refuseWith(NO_SHELL_TEXT);
  const ground = await readGateGround(tx);
  const { fleet } = ground;
  const resolved = resolveTarget(ask.target, fleet);
  if (!resolved.ok) return refuseWith(resolved.reason);
  const { target } = resolved;
  if (target.kind === 'vm') return refuseWith(noCommandsInVms(target));
  const often = turn?.byOperator ? undefined : await proposalLimit(tx, task.agent, now);
  if (often) return refuseWith(often);
  const { policy } = ground.settings;
  const asked = { ask, task, target, facts: factsOf(target, ground), policy, fleet, turn, now };
  const parts = splitByObject(ask.command, asked.facts, policy);
  if (parts === undefined) return proposeOne(tx, asked);
  const answer = await proposeParts(tx, asked, parts);
  return answer.kind === 'refused' ? refuseWith(...answer.reasons) : answer;
}

/** The same call made again (a resumed turn): answered from what it made. */
async function answerAgain(tx: Tx, known: ExecutionRow): Promise<Stored> {
  if (known.batchId !== null) {
    return { kind: 'split', executions: await partsOf(tx, known.batchId) };
  }
  return known.status === 'proposed' ? { kind: 'looking', execution: known } : answerFor(known);
}

/** What no shell takes and no card can show: NUL, and half characters. */
function isShellText(command: string): boolean {
  return command.isWellFormed() && !command.includes('\0');
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

function noCommandsInVms(vm: { host: string; vmid: number }): string {
  return `commands inside virtual machines are not possible yet; aim at ${vm.host}, e.g. qm status ${vm.vmid}`;
}

function refused(reason: string): ProposeAnswer {
  return { kind: 'refused', reasons: [reason] };
}

/** The answer from a row that is there already. */
function answerFor(row: ExecutionRow): ProposeAnswer {
  if (row.status === 'pending_approval' || row.status === 'proposed') {
    return { kind: 'waiting', execution: row };
  }
  if (row.status === 'denied' && row.approvedAt === null && row.number === null) {
    return { kind: 'refused', reasons: [row.reason ?? 'refused'], executionId: row.id };
  }
  return { kind: 'started', execution: row };
}
