import { audit } from './db/audit.ts';
import type { Tx } from './db/client.ts';
import { readNow } from './db/clock.ts';
import { advance, type ExecutionRow } from './db/executions.ts';
import { readGateGround } from './db/gate-ground.ts';
import {
  cardLimit,
  executionOfCall,
  insertApproval,
  insertProposed,
  openTwin,
  type Proposal,
  turnOf,
  wasApproved,
} from './db/proposals.ts';
import { lockTask, readsOfTask, type TaskRow, windowsOfTask } from './db/tasks.ts';
import { START_AFTER_GATE_MS } from './domain/approval.ts';
import { resolveTarget } from './domain/target.ts';
import { judge } from './domain/verdict.ts';
import { classify } from './gate/classify.ts';
import { factsOf } from './gate-facts.ts';
import { grantPatch } from './grant.ts';
import type { ProposeAnswer, ProposeAsk, ProposeDeps } from './propose-types.ts';
import type { Sealer } from './seal.ts';
import { specHash } from './spec-hash.ts';
import { dialectOf, touchedGuests } from './target-facts.ts';

export type { ProposeAnswer, ProposeAsk, ProposeDeps } from './propose-types.ts';

const NO_SHELL_TEXT = 'the command holds characters that no shell takes (NUL or half a character)';

/**
 * The one way in: every command, whoever proposes it, is resolved, classified, judged and stored
 * here. Nothing runs by the answer itself: the daemon reads the row and judges again.
 */
export async function propose(deps: ProposeDeps, ask: ProposeAsk): Promise<ProposeAnswer> {
  const answer = await deps.db.transaction((tx) => proposeIn(deps, tx, ask));
  if (answer.kind === 'started') await deps.ring(answer.execution);
  return answer;
}

async function proposeIn({ seals }: ProposeDeps, tx: Tx, ask: ProposeAsk): Promise<ProposeAnswer> {
  const now = await readNow(tx);
  const task = await lockTask(tx, ask.taskId);
  if (!task) return refused('this task no longer exists');
  const known = await executionOfCall(tx, ask.callKey);
  if (known) return answerFor(known);
  const turn = await turnOf(tx, ask.turnId);
  if (turn && turn.stopEpoch < task.stopEpoch) return refused('the operator said stop');

  if (!isShellText(ask.command)) return refuse(tx, ask, task, now, [NO_SHELL_TEXT]);
  const ground = await readGateGround(tx);
  const { fleet } = ground;
  const resolved = resolveTarget(ask.target, fleet);
  if (!resolved.ok) return refuse(tx, ask, task, now, [resolved.reason]);
  const { target } = resolved;
  if (target.kind === 'vm') return refuse(tx, ask, task, now, [noCommandsInVms(target)]);
  const facts = factsOf(target, ground);
  const gate = classify({
    command: ask.command,
    facts,
    policy: ground.settings.policy,
    ...(ask.declaredRisk && { declaredRisk: ask.declaredRisk }),
  });
  if (ask.batchId !== undefined && gate.risk !== 'read_only') {
    return refuse(tx, ask, task, now, [
      `several targets at once get only commands that read, and this is ${gate.risk}; aim at one`,
    ]);
  }
  const guests = touchedGuests(gate, target, fleet);
  const hash = specHash(target, dialectOf(facts), ask.command, guests);

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
  const plan: Proposal = {
    ask,
    task,
    target,
    facts,
    gate,
    guests,
    hash,
    reads,
    verdict,
    turn,
    now,
    fleet,
  };
  return store(tx, seals, plan);
}

async function store(tx: Tx, seals: Sealer, plan: Proposal): Promise<ProposeAnswer> {
  const { ask, task, verdict, now } = plan;
  if (verdict.kind === 'ask') {
    const full = await cardLimit(tx, task);
    if (full) return refuse(tx, ask, task, now, [full]);
  }
  const row = await insertProposed(tx, seals, plan);
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
      patch: grantPatch(seals, row, {
        now,
        lifeMs: START_AFTER_GATE_MS,
        authorization: verdict.authorization,
      }),
      detail: { authorization: verdict.authorization },
    });
    return { kind: 'started', execution: granted.row };
  }
  const asked = await advance(tx, row.id, 'asked', change);
  await insertApproval(tx, seals, plan, asked.row);
  return { kind: 'waiting', execution: asked.row };
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

/** The same call made again (a resumed turn): answer from the row it made. */
function answerFor(row: ExecutionRow): ProposeAnswer {
  if (row.status === 'pending_approval') return { kind: 'waiting', execution: row };
  if (row.status === 'denied' && row.approvedAt === null && row.number === null) {
    return { kind: 'refused', reasons: [row.reason ?? 'refused'] };
  }
  return { kind: 'started', execution: row };
}
