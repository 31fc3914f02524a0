import { setTimeout as sleep } from 'node:timers/promises';
import type { Db } from '../shared/db/client.ts';
import type { ExecutionRow } from '../shared/db/executions.ts';
import { targetOf } from '../shared/db/windows.ts';
import type { Log } from '../shared/log.ts';
import { beforeStart } from './before-start.ts';
import {
  type Claimer,
  claimStart,
  type Judged,
  judgeStart,
  refuseStart,
  type Startable,
} from './claim.ts';
import { createEnding, DROPPED, type ExecuteAnswer, endedAnswer } from './ending.ts';
import { expectedGuests, identityCommand, identityMismatch } from './identity.ts';
import { crashOutcome, killAfterMs, type Outcome, outcomeOf, shutdownOutcome } from './outcome.ts';
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
  /** Remembers the claim outside the database; what it cannot remember does not start. */
  readonly beforeRun: () => Promise<void>;
  /** Hears of every run that ended here. */
  readonly onEnded?: (row: ExecutionRow, ms: number) => void;
}

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
  /** The claim was asked for; its answer may be lost. */
  claiming: boolean;
  claimed: ExecutionRow | undefined;
  recorder: Recorder | undefined;
}

/** Reads, verifies, claims, runs and records executions (K16); the row is the only input. */
export function createExecutor(deps: ExecutorDeps): Executor {
  const { db, transport, claimer, log } = deps;
  const inHand = new Map<string, InHand>();
  const places = createSemaphore(deps.concurrency);
  let draining = false;
  const { owner } = claimer;
  const ending = createEnding({ db, owner, log, hurried: () => draining, onEnded: deps.onEnded });

  const execute = async (id: string): Promise<ExecuteAnswer> => {
    if (draining || inHand.has(id)) return DROPPED;
    const hand: InHand = {
      abort: new AbortController(),
      claiming: false,
      claimed: undefined,
      recorder: undefined,
    };
    inHand.set(id, hand);
    try {
      return await reserveAndRun(id, hand);
    } catch (error) {
      log.error({ err: error, executionId: id }, 'an execution failed unexpectedly');
      const { claimed, claiming } = hand;
      if (claimed) return await ending.record(claimed, crashOutcome(claimed));
      return claiming ? await ending.giveBack(id) : DROPPED;
    } finally {
      inHand.delete(id);
    }
  };

  const reserveAndRun = async (id: string, hand: InHand): Promise<ExecuteAnswer> => {
    const judged = await judgeStart(db, id, claimer);
    if (judged.kind !== 'start') return answerOf(judged);
    // A place on the host comes before the claim: who waits for one has claimed nothing.
    const reserved = await transport.reserve(judged.row.hostSlug);
    if (!reserved.ok)
      return refuse(judged.row, `${reserved.trouble.sentence}; nothing was started`);
    const { slot } = reserved;
    const leave = await places.take();
    try {
      const mismatch = await checkGuests(slot, judged);
      if (mismatch) return await refuse(judged.row, mismatch);
      if (draining) return DROPPED;
      hand.claiming = true;
      const claimed = await claimStart(db, id, claimer);
      if (claimed.kind !== 'start') return answerOf(claimed);
      hand.claimed = claimed.row;
      const forgetful = await remember(claimed.row);
      if (forgetful) return await ending.record(claimed.row, forgetful);
      return await run(slot, claimed, hand);
    } finally {
      leave();
      slot.release();
    }
  };

  const checkGuests = async (
    slot: HostSlot,
    { row, gate }: Startable,
  ): Promise<string | undefined> => {
    const host = { kind: 'host', slug: row.hostSlug, name: row.hostSlug } as const;
    for (const guest of expectedGuests(row, gate)) {
      const answer = await probe(slot, host, identityCommand(guest));
      const mismatch = identityMismatch(guest, answer, row.hostSlug);
      if (mismatch) return mismatch;
    }
    return undefined;
  };

  /** A database restored to before the claim must be found out at the next start; a read may be repeated. */
  const remember = async (row: ExecutionRow): Promise<Outcome | undefined> => {
    if (row.risk === 'read_only') return undefined;
    try {
      await deps.beforeRun();
      return undefined;
    } catch (error) {
      log.error({ err: error, executionId: row.id }, 'the high-water mark cannot be written');
      const reason = 'nothing was started: the start could not be noted outside the database';
      return { event: 'failed', reason, exitCode: null };
    }
  };

  const run = async (slot: HostSlot, start: Startable, hand: InHand): Promise<ExecuteAnswer> => {
    const { row } = start;
    const keepEnvOption = deps.keepEnvOption(row.hostSlug);
    const before = beforeStart(start, keepEnvOption);
    if (!before.ok) {
      return ending.record(row, outcomeOf({ kind: 'refused', reason: before.reason }, row));
    }
    const wrapped = wrapCommand({
      target: targetOf(row),
      dialect: row.dialect,
      command: row.command,
      keepEnvOption,
    });
    if (!wrapped.ok)
      return ending.record(row, outcomeOf({ kind: 'not_started', reason: wrapped.reason }, row));
    const recorder = recorderFor(row);
    hand.recorder = recorder;
    let end: RunEnd;
    let summary: OutputSummary;
    try {
      end = await slot.run({
        line: wrapped.line,
        needs: needsOf(row),
        ...(before.preflight && { preflight: before.preflight }),
        limitMs: row.timeLimitMs,
        killAfterMs: killAfterMs(row),
        endWithConnection: row.risk === 'read_only',
        stop: hand.abort.signal,
        onOutput: recorder.push,
      });
    } finally {
      summary = await recorder.close();
    }
    return ending.record(row, outcomeOf(end, row), summary);
  };

  const recorderFor = (row: ExecutionRow): Recorder =>
    createRecorder({
      redact: deps.redact,
      save: (rows) => ending.saveOutput(row.id, rows),
      onError: (error) => log.error({ err: error, executionId: row.id }, 'output is not stored'),
    });

  const refuse = async (
    { id, targetSlug: target }: ExecutionRow,
    reason: string,
  ): Promise<ExecuteAnswer> => {
    const refused = await refuseStart(db, id, claimer, reason);
    if (refused.kind === 'ended') {
      log.warn({ executionId: id, target, reason }, 'execution refused');
    }
    return answerOf(refused);
  };

  /** The process is about to end and cannot wait for this run. */
  const giveUp = async ({ claimed, recorder }: InHand): Promise<void> => {
    if (!claimed) return;
    const summary = await recorder?.close();
    await ending.record(claimed, shutdownOutcome(claimed), summary);
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
      await Promise.all([...inHand.values()].map(giveUp));
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
