import { createHash } from 'node:crypto';
import { fleetEntities } from '../../../shared/db/entities.ts';
import type { ExecutionRow } from '../../../shared/db/executions.ts';
import { readOutput } from '../../../shared/db/read-output.ts';
import { isFinal } from '../../../shared/domain/execution.ts';
import type { Origin } from '../../../shared/domain/origin.ts';
import { patienceMs } from '../../../shared/domain/time-limit.ts';
import type { ProposeAnswer, ProposeAsk } from '../../../shared/propose.ts';
import type { ToolContext } from '../tool.ts';
import type { ToolResult } from '../turn-ports.ts';
import type { ToolDeps } from './deps.ts';
import { nameOf, outputOrigin, outputText, stateOf } from './execution-text.ts';

/** More at once would fill the model's context with their output. */
export const MAX_TARGETS = 30;
/** What all outputs together may weigh; each gets the same share of it. */
const BYTES_OF_ALL = 24 * 1024;

/** What is the same for every target. */
export type FanOutAsk = Pick<ProposeAsk, 'command' | 'purpose' | 'declaredRisk' | 'timeLimitMs'>;

interface Answered {
  readonly target: string;
  /** Undefined when the gate or a rule said no. */
  readonly row?: ExecutionRow;
  readonly refusal?: string;
}

/**
 * One reading command on many targets at once (K5): an execution each under one batch id, waited for
 * together, told as one table. A host that does not answer holds up its own row only.
 */
export async function fanOut(
  deps: ToolDeps,
  targets: readonly string[],
  ask: FanOutAsk,
  { call, signal }: ToolContext,
): Promise<ToolResult> {
  const slugs = await expand(deps, targets);
  const limit = limitTrouble(slugs);
  if (limit) return { text: `Refused, nothing ran: ${limit}.`, origins: ['oikos'], refused: true };
  const batchId = batchIdOf(call.key);
  const asked: Answered[] = [];
  for (const [at, target] of slugs.entries()) {
    const { taskId, turnId } = deps;
    const callKey = memberKey(call.key, at);
    const answer = await deps.propose({ ...ask, taskId, turnId, target, batchId, callKey });
    asked.push(answered(target, answer));
  }
  // The longest wait of one target is the longest wait of all.
  const ended = await Promise.all(
    asked.map(async ({ row, ...rest }) =>
      row ? { ...rest, row: await deps.waitForEnd(row.id, patienceMs('read_only'), signal) } : rest,
    ),
  );
  return tableOf(deps, ended);
}

function answered(target: string, answer: ProposeAnswer): Answered {
  switch (answer.kind) {
    case 'refused':
      return { target, refusal: answer.reasons.join('; ') };
    case 'split':
      return { target, refusal: 'it stands for several commands; aim at one target' };
    case 'duplicate':
    case 'waiting':
    case 'started':
      return { target, row: answer.execution };
  }
}

/** The key of a batch's member; the first keeps the call's own, so that a resumed turn finds it. */
function memberKey(callKey: string, at: number): string {
  return at === 0 ? callKey : `${callKey}.${at}`;
}

/** The same for the same call, so that a resumed turn adds to the batch that it began. */
function batchIdOf(callKey: string): string {
  const hex = createHash('sha256').update(callKey).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/** `all hosts` and `all lxc` stand for what the fleet has of them; each target once, in that order. */
async function expand(deps: ToolDeps, targets: readonly string[]): Promise<string[]> {
  const fleet = await fleetEntities(deps.db);
  const slugs = targets.flatMap((written) => {
    const group = /^all (host|lxc)s?$/.exec(written.trim().toLowerCase())?.[1];
    if (group === undefined) return [written.trim()];
    return fleet.filter(({ type }) => type === group).map(({ slug }) => slug);
  });
  return [...new Set(slugs)];
}

function limitTrouble(slugs: readonly string[]): string | undefined {
  if (slugs.length === 0) return 'the fleet has no such targets';
  return slugs.length > MAX_TARGETS
    ? `${slugs.length} targets are more than the ${MAX_TARGETS} that may be asked at once`
    : undefined;
}

async function tableOf(deps: ToolDeps, answers: readonly Answered[]): Promise<ToolResult> {
  const share = Math.floor(BYTES_OF_ALL / answers.length / 2);
  const outputs: string[] = [];
  const origins = new Set<Origin>(['oikos']);
  const told: string[] = [];
  for (const { row } of answers) {
    if (!(row && isFinal(row.status))) continue;
    told.push(row.id);
    const output = await readOutput(deps.db, row.id, 2 * share);
    if (output.both === '') continue;
    origins.add(outputOrigin(row));
    const options = {
      nonce: deps.nonce(),
      redact: deps.redact,
      share: { head: share, tail: share },
    };
    outputs.push(outputText(row, output, options));
  }
  const refused = answers.every(({ row }) => row === undefined);
  return {
    text: [...answers.map(lineOf), ...outputs].join('\n'),
    origins: [...origins],
    told,
    ...(refused && { refused }),
  };
}

function lineOf({ target, row, refusal }: Answered): string {
  if (!row) return `${target} | refused, nothing ran: ${refusal}`;
  const later = isFinal(row.status) ? '' : '; you will be called with the result';
  return `${row.targetSlug} | ${nameOf(row)} ${stateOf(row)}${later}`;
}
