import { setTimeout as sleep } from 'node:timers/promises';
import type { Db } from '../shared/db/client.ts';
import { readNow } from '../shared/db/clock.ts';
import { advance, type ExecutionRow, lockExecution } from '../shared/db/executions.ts';
import { saveOutput } from '../shared/db/output.ts';
import { targetOf } from '../shared/db/windows.ts';
import type { ExecutionStatus } from '../shared/domain/execution.ts';
import type { Log } from '../shared/log.ts';
import { type Claimer, claimStart, type Judged, judgeStart } from './claim.ts';
import { expectedGuests, identityCommand, identityMismatch } from './identity.ts';
import {
  crashOutcome,
  killAfterMs,
  type Outcome,
  outcomeOf,
  shutdownOutcome,
  stoppedBy,
} from './outcome.ts';
import { createRecorder, type OutputSummary, type Recorder } from './output.ts';
import { probe } from './probe.ts';
import { createSemaphore } from './ssh/semaphore.ts';
import type { HostSlot, RunEnd, StopReason, Transport } from './ssh/transport.ts';
import { wrapCommand } from './ssh/wrap.ts';

export interface ExecutorDeps {
  readonly db: Db;
  readonly transport: Transport;
  readonly claimer: Claimer;
  readonly redact: (text: string) => string;
  readonly log: Log;
  readonly concurrency: number;
  /** Whether the `pct exec` of a host knows --keep-env. */
  readonly keepEnvOption: (hostSlug: string) => boolean;
  /** Hears of every run that ended here. */
  readonly onEnded?: (row: ExecutionRow, ms: number) => void;
}

/** `dropped`: it was not approved, or somebody else has it; that is no error. */
export type ExecuteAnswer =
  | { readonly kind: 'dropped' }
  | { readonly kind: 'ended'; readonly status: ExecutionStatus; readonly reason: string | null };

export interface Executor {
  /** Runs an approved execution once, whoever else was rung for it; never throws. */
  execute(id: string): Promise<ExecuteAnswer>;
  stop(id: string, reason: StopReason): void;
  /** Has it in hand, from the first look to the recorded end. */
  holds(id: string): boolean;
  /** Waits for what runs, ends what only reads, and gives the rest up as lost. */
  drain(patienceMs: number): Promise<void>;
}

interface InHand {
  readonly abort: AbortController;
  claimed: ExecutionRow | undefined;
}

const DROPPED: ExecuteAnswer = { kind: 'dropped' };

/** Reads, verifies, claims, runs and records executions (K16); the row is the only input. */
export function createExecutor(deps: ExecutorDeps): Executor {
  const { db, transport, claimer, log } = deps;
  const inHand = new Map<string, InHand>();
  const places = createSemaphore(deps.concurrency);
  const actor = claimer.owner;
  let draining = false;

  const execute = async (id: string): Promise<ExecuteAnswer> => {
    if (draining || inHand.has(id)) return DROPPED;
    const hand: InHand = { abort: new AbortController(), claimed: undefined };
    inHand.set(id, hand);
    try {
      return await reserveAndRun(id, hand);
    } catch (error) {
      log.error({ err: error, executionId: id }, 'an execution failed unexpectedly');
      return hand.claimed ? await record(hand.claimed, crashOutcome(hand.claimed)) : DROPPED;
    } finally {
      inHand.delete(id);
    }
  };

  const reserveAndRun = async (id: string, hand: InHand): Promise<ExecuteAnswer> => {
    const judged = await judgeStart(db, id, claimer);
    if (judged.kind !== 'start') return answerOf(judged);
    // A place on the host comes before the claim: who waits for one has claimed nothing.
    const reserved = await transport.reserve(judged.row.hostSlug);
    if (!reserved.ok) return refuse(id, `${reserved.trouble.sentence}; nothing was started`);
    const { slot } = reserved;
    const leave = await places.take();
    try {
      const mismatch = await checkGuests(slot, judged);
      if (mismatch) return await refuse(id, mismatch);
      if (draining) return DROPPED;
      const claimed = await claimStart(db, id, claimer);
      if (claimed.kind !== 'start') return answerOf(claimed);
      hand.claimed = claimed.row;
      return await run(slot, claimed.row, hand.abort.signal);
    } finally {
      leave();
      slot.release();
    }
  };

  const checkGuests = async (
    slot: HostSlot,
    { row, gate, fleet }: Extract<Judged, { kind: 'start' }>,
  ): Promise<string | undefined> => {
    const host = { kind: 'host', slug: row.hostSlug, name: row.hostSlug } as const;
    for (const guest of expectedGuests(row, gate, fleet)) {
      const answer = await probe(slot, host, identityCommand(guest));
      const mismatch = identityMismatch(guest, answer, row.hostSlug);
      if (mismatch) return mismatch;
    }
    return undefined;
  };

  const run = async (
    slot: HostSlot,
    row: ExecutionRow,
    stop: AbortSignal,
  ): Promise<ExecuteAnswer> => {
    const wrapped = wrapCommand({
      target: targetOf(row),
      dialect: row.dialect,
      command: row.command,
      keepEnvOption: deps.keepEnvOption(row.hostSlug),
    });
    if (!wrapped.ok)
      return record(row, outcomeOf({ kind: 'not_started', reason: wrapped.reason }, row));
    const recorder = recorderFor(row);
    let end: RunEnd;
    let summary: OutputSummary;
    try {
      end = await slot.run({
        line: wrapped.line,
        needs: needsOf(row),
        limitMs: row.timeLimitMs,
        killAfterMs: killAfterMs(row),
        endWithConnection: row.risk === 'read_only',
        stop,
        onOutput: recorder.push,
      });
    } finally {
      summary = await recorder.close();
    }
    return record(row, outcomeOf(end, row), summary);
  };

  const recorderFor = (row: ExecutionRow): Recorder =>
    createRecorder({
      redact: deps.redact,
      save: (rows) => saveOutput(db, row.id, rows),
      onError: (error) => log.error({ err: error, executionId: row.id }, 'output not stored yet'),
    });

  const refuse = (id: string, reason: string): Promise<ExecuteAnswer> =>
    db.transaction(async (tx) => {
      const now = await readNow(tx);
      const { moved, row } = await advance(tx, id, 'refused', { actor, now, patch: { reason } });
      if (moved) log.warn({ executionId: id, target: row.targetSlug, reason }, 'execution refused');
      return moved ? endedAnswer(row) : DROPPED;
    });

  /** The end must reach the database: it is tried again while the database is away. */
  const record = async (
    row: ExecutionRow,
    outcome: Outcome,
    summary?: OutputSummary,
  ): Promise<ExecuteAnswer> => {
    for (let tries = 1; ; tries += 1) {
      try {
        return await recordOnce(row, outcome, summary);
      } catch (error) {
        log.error({ err: error, executionId: row.id, tries }, 'the end of a run is not stored yet');
        if (tries >= 12 || draining) return DROPPED;
        await sleep(Math.min(250 * 2 ** tries, 10_000));
      }
    }
  };

  const recordOnce = (row: ExecutionRow, outcome: Outcome, summary?: OutputSummary) =>
    db.transaction(async (tx): Promise<ExecuteAnswer> => {
      const now = await readNow(tx);
      const { cancelRequestedBy } = await lockExecution(tx, row.id);
      const { event, exitCode } = outcome;
      const patch = {
        // Who asked for the stop is in the row as it is now, not as it was claimed.
        reason: event === 'cancelled' ? stoppedBy(cancelRequestedBy) : outcome.reason,
        exitCode,
        leaseUntil: null,
        ...(summary && { outputBytes: summary.bytes, outputCut: summary.cut }),
      };
      const advanced = await advance(tx, row.id, event, { actor, now, patch });
      if (advanced.moved) noteEnd(advanced.row, now);
      return endedAnswer(advanced.row);
    });

  const noteEnd = (row: ExecutionRow, now: Date) => {
    const { id: executionId, targetSlug: target, status } = row;
    const ms = now.getTime() - (row.startedAt ?? now).getTime();
    log.info({ executionId, target, status, ms }, 'execution ended');
    deps.onEnded?.(row, ms);
  };

  return {
    execute,
    stop: (id, reason) => inHand.get(id)?.abort.abort(reason),
    holds: (id) => inHand.has(id),
    async drain(patienceMs) {
      draining = true;
      const deadline = performance.now() + patienceMs;
      for (const { claimed, abort } of inHand.values()) {
        if (claimed?.risk === 'read_only') abort.abort('shutdown');
      }
      const runs = () => [...inHand.values()].some(({ claimed }) => claimed !== undefined);
      while (runs() && performance.now() < deadline) await sleep(50);
      for (const { claimed } of inHand.values()) {
        if (claimed) await recordOnce(claimed, shutdownOutcome(claimed));
      }
    },
  };
}

/** `env`, the shell and `setsid` on the host; inside a guest a missing shell shows as exit code 127. */
function needsOf(row: ExecutionRow): string[] {
  if (row.targetKind !== 'host') return ['setsid', 'pct'];
  return ['setsid', row.dialect === 'bash' ? '/bin/bash' : '/bin/sh'];
}

function answerOf(judged: Exclude<Judged, { kind: 'start' }>): ExecuteAnswer {
  return judged.kind === 'ended' ? endedAnswer(judged.row) : DROPPED;
}

function endedAnswer({ status, reason }: ExecutionRow): ExecuteAnswer {
  return { kind: 'ended', status, reason };
}
