import { setTimeout as sleep } from 'node:timers/promises';
import type { Db } from '../shared/db/client.ts';
import { type ExecutionRow, readExecution } from '../shared/db/executions.ts';
import { targetOf } from '../shared/db/windows.ts';
import type { Log } from '../shared/log.ts';
import { awaitedRestart, awaitRestart, patienceMs, type SeenRestart } from './await-restart.ts';
import { beforeStart } from './before-start.ts';
import { bootBefore, restartOf } from './boot.ts';
import { checkGuests } from './check-guests.ts';
import {
  type Claimer,
  claimStart,
  type Judged,
  judgeStart,
  refuseStart,
  type Startable,
} from './claim.ts';
import { type DurableRun, followRun } from './durable.ts';
import { createEnding, DROPPED, type ExecuteAnswer, endedAnswer } from './ending.ts';
import {
  alteredOutcome,
  crashOutcome,
  durableOutcome,
  killAfterMs,
  type Outcome,
  orphanOutcome,
  outcomeOf,
  shutdownOutcome,
} from './outcome.ts';
import { createRecorder, type OutputSummary, type Recorder } from './output.ts';
import type { SpoolBase } from './runner/scripts.ts';
import { isAsGranted } from './seals.ts';
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
  /** How long a host may be away before what runs there counts as lost. */
  readonly unreachableMs: number;
  /** How long a machine that was told to reboot may take. */
  readonly rebootMs: number;
  /** A run without output for so long is shown as quiet. */
  readonly quietMs: number;
  /** Where hosts keep what runs on them; left out: their own folders. */
  readonly spoolBases?: readonly SpoolBase[] | undefined;
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
  /** Follows to its end a run that an earlier owner left behind; it is never started. */
  adopt(run: ExecutionRow): Promise<ExecuteAnswer>;
  stop(id: string, reason: StopReason): void;
  /** Has it in hand, from the first look to the recorded end. */
  holds(id: string): boolean;
  /** Ends what only reads, and leaves the rest to whoever adopts it. */
  drain(patienceMs: number): Promise<void>;
}

interface InHand {
  readonly abort: AbortController;
  /** The claim was asked for; its answer may be lost. */
  claiming: boolean;
  claimed: ExecutionRow | undefined;
  recorder: Recorder | undefined;
}

/**
 * Reads, verifies, claims, runs and records executions (K16); the row is the only input. What only
 * reads lives on its channel and ends with it; everything else is detached on the host.
 */
export function createExecutor(deps: ExecutorDeps): Executor {
  const { db, transport, claimer, log } = deps;
  const inHand = new Map<string, InHand>();
  const places = createSemaphore(deps.concurrency);
  let draining = false;
  const { owner } = claimer;
  const ending = createEnding({ db, owner, log, hurried: () => draining, onEnded: deps.onEnded });

  const execute = async (id: string): Promise<ExecuteAnswer> => {
    return inHands(id, (hand) => reserveAndRun(id, hand));
  };

  const inHands = async (
    id: string,
    work: (hand: InHand) => Promise<ExecuteAnswer>,
  ): Promise<ExecuteAnswer> => {
    if (draining || inHand.has(id)) return DROPPED;
    const hand: InHand = {
      abort: new AbortController(),
      claiming: false,
      claimed: undefined,
      recorder: undefined,
    };
    inHand.set(id, hand);
    try {
      return await work(hand);
    } catch (error) {
      log.error({ err: error, executionId: id }, 'an execution failed unexpectedly');
      return await afterCrash(id, hand);
    } finally {
      inHand.delete(id);
    }
  };

  const afterCrash = (id: string, { claimed, claiming }: InHand): Promise<ExecuteAnswer> => {
    if (!claimed) return claiming ? ending.giveBack(id) : Promise.resolve(DROPPED);
    // What is detached may run all the same: the next look for orphans finds it.
    if (isDetached(claimed)) return Promise.resolve(DROPPED);
    return ending.record(claimed, crashOutcome(claimed));
  };

  const reserveAndRun = async (id: string, hand: InHand): Promise<ExecuteAnswer> => {
    const seen = await readExecution(db, id);
    if (seen?.status !== 'approved') return DROPPED;
    // What will be refused anyway must not wait for a host; where one is connected, the claim says it.
    const atOnce = !needsLook(seen) && transport.isConnected(seen.hostSlug);
    const judged = atOnce ? undefined : await judgeStart(db, id, claimer);
    if (judged && judged.kind !== 'start') return answerOf(judged);
    // A place on the host comes before the claim: who waits for one has claimed nothing.
    const reserved = await transport.reserve(seen.hostSlug);
    if (!reserved.ok) return refuse(seen, `${reserved.trouble.sentence}; nothing was started`);
    const { slot } = reserved;
    const leave = await places.take();
    try {
      const { mismatch, boot } = await lookFirst(slot, judged);
      if (mismatch) return await refuse(seen, mismatch);
      return await claimAndRun(slot, id, hand, { boot, leave });
    } finally {
      leave();
      slot.release();
    }
  };

  /** What must be seen on the machines between the two verdicts. */
  const lookFirst = async (slot: HostSlot, judged: Startable | undefined) => {
    if (!judged) return { boot: null };
    const mismatch = await checkGuests({ db, seals: claimer.seals }, slot, judged);
    return {
      mismatch,
      boot: mismatch ? null : await bootBefore(slot, judged.row, deps.keepEnvOption),
    };
  };

  const claimAndRun = async (
    slot: HostSlot,
    id: string,
    hand: InHand,
    { boot, leave }: { boot: string | null; leave: () => void },
  ): Promise<ExecuteAnswer> => {
    if (draining) return DROPPED;
    // Its shell starts while the database answers; nothing else does before our go.
    slot.prepare();
    hand.claiming = true;
    const claimed = await claimStart(db, id, claimer, boot);
    if (claimed.kind !== 'start') return answerOf(claimed);
    hand.claimed = claimed.row;
    if (!isDetached(claimed.row)) return runOnChannel(slot, claimed, hand);
    const forgetful = await remember(claimed.row);
    if (forgetful) return ending.record(claimed.row, forgetful);
    return runDetached(slot, claimed, hand, leave);
  };

  /**
   * A database restored to before the claim must be found out at the next start. What only reads is
   * not noted: it may be repeated.
   */
  const remember = async (row: ExecutionRow): Promise<Outcome | undefined> => {
    try {
      await deps.beforeRun();
      return undefined;
    } catch (error) {
      log.error({ err: error, executionId: row.id }, 'the high-water mark cannot be written');
      const reason = 'nothing was started: the start could not be noted outside the database';
      return { event: 'failed', reason, exitCode: null };
    }
  };

  const wrap = (row: ExecutionRow) =>
    wrapCommand({
      target: targetOf(row),
      dialect: row.dialect,
      command: row.command,
      keepEnvOption: deps.keepEnvOption(row.hostSlug),
    });

  const refuseClaimed = (row: ExecutionRow, reason: string) =>
    ending.record(row, outcomeOf({ kind: 'refused', reason }, row));

  const runOnChannel = async (
    slot: HostSlot,
    start: Startable,
    hand: InHand,
  ): Promise<ExecuteAnswer> => {
    const { row } = start;
    const before = beforeStart(start, deps.keepEnvOption(row.hostSlug));
    if (!before.ok) return refuseClaimed(row, before.reason);
    const wrapped = wrap(row);
    if (!wrapped.ok)
      return ending.record(row, outcomeOf({ kind: 'not_started', reason: wrapped.reason }, row));
    const recorder = recorderFor(row, false);
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
        endWithConnection: true,
        stop: hand.abort.signal,
        onOutput: recorder.push,
      });
    } finally {
      summary = await recorder.close();
    }
    return ending.record(row, outcomeOf(end, row), { summary });
  };

  const runDetached = (
    slot: HostSlot,
    start: Startable,
    hand: InHand,
    onAway: () => void,
  ): Promise<ExecuteAnswer> => {
    const { row } = start;
    const before = beforeStart(start, deps.keepEnvOption(row.hostSlug));
    if (!before.ok) return refuseClaimed(row, before.reason);
    const { preflight } = before;
    return follow(slot, row, hand, { how: 'start', onAway, ...(preflight && { preflight }) });
  };

  const follow = async (
    slot: HostSlot,
    row: ExecutionRow,
    hand: InHand,
    { how, ...more }: Pick<DurableRun, 'onAway' | 'preflight'> & { how: 'start' | 'attach' },
  ): Promise<ExecuteAnswer> => {
    const wrapped = wrap(row);
    if (!wrapped.ok)
      return ending.record(row, outcomeOf({ kind: 'not_started', reason: wrapped.reason }, row));
    // Whoever adopts a run reads all of its output again.
    const recorder = recorderFor(row, how === 'attach');
    hand.recorder = recorder;
    const restart = awaitedRestart(row);
    const restartMs = restart && patienceMs(restart, deps.rebootMs);
    let followed: Awaited<ReturnType<typeof followRun>>;
    let summary: OutputSummary;
    try {
      const { line } = wrapped;
      const { signal: stop } = hand.abort;
      const run = { row, line, needs: needsOf(row), killAfterMs: killAfterMs(row), stop };
      followed = await followRun(
        { ...deps, owner },
        slot,
        { ...run, ...more, recorder, restartMs },
        how,
      );
    } finally {
      summary = await recorder.close();
    }
    const { end } = followed;
    if (end.kind === 'left') return ending.letGo(row.id);
    if (restart) return endRestart(slot, row, hand, { ...followed, end, restart, summary });
    // The host counted what it did not keep, too.
    const facts =
      end.kind === 'exited'
        ? { summary: { ...summary, bytes: end.bytes }, agoSeconds: end.agoSeconds }
        : { summary };
    const answer = await ending.record(row, durableOutcome(end, row), facts);
    if (answer.kind === 'ended') await followed.clean();
    return answer;
  };

  /** Its end is the machine's return, for which it needs no place of ours. */
  const endRestart = async (
    slot: HostSlot,
    row: ExecutionRow,
    hand: InHand,
    seen: SeenRestart & { summary: OutputSummary; clean: () => Promise<void> },
  ): Promise<ExecuteAnswer> => {
    const stop = hand.abort.signal;
    const outcome = await awaitRestart({ ...deps, owner }, slot, { row, stop, ...seen });
    if (outcome === 'left') return ending.letGo(row.id);
    const answer = await ending.record(row, outcome, { summary: seen.summary });
    if (answer.kind === 'ended') await seen.clean();
    return answer;
  };

  const adopt = (found: ExecutionRow): Promise<ExecuteAnswer> =>
    inHands(found.id, async (hand) => {
      hand.claimed = found;
      if (!isAsGranted(found, claimer.seals)) return ending.record(found, alteredOutcome(found));
      const reserved = await transport.reserveUnconnected(found.hostSlug);
      if (!reserved.ok) return ending.record(found, orphanOutcome(found));
      const { slot } = reserved;
      try {
        return await follow(slot, found, hand, { how: 'attach', onAway: () => undefined });
      } finally {
        slot.release();
      }
    });

  const recorderFor = (row: ExecutionRow, readAgain: boolean): Recorder => {
    let anew = readAgain;
    return createRecorder({
      redact: deps.redact,
      save: async (rows) => {
        await ending.saveOutput(row.id, rows, anew);
        anew = false;
      },
      onError: (error) => log.error({ err: error, executionId: row.id }, 'output is not stored'),
    });
  };

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
    if (isDetached(claimed)) await ending.letGo(claimed.id);
    else await ending.record(claimed, shutdownOutcome(claimed), { summary });
  };

  return {
    execute,
    adopt,
    stop: (id, reason) => inHand.get(id)?.abort.abort(reason),
    holds: (id) => inHand.has(id),
    async drain(patienceMs) {
      draining = true;
      const deadline = performance.now() + patienceMs;
      for (const { abort } of inHand.values()) abort.abort('shutdown');
      const runs = () => [...inHand.values()].some(({ claimed }) => claimed !== undefined);
      while (runs() && performance.now() < deadline) await sleep(50);
      await Promise.all([...inHand.values()].map(giveUp));
    },
  };
}

/** What changes something must outlive the connection; what only reads can be asked again. */
function isDetached({ risk }: ExecutionRow): boolean {
  return risk !== 'read_only';
}

/** Whether a machine must be looked at between the two verdicts (lookFirst). */
function needsLook(row: ExecutionRow): boolean {
  const { risk, targetKind, guests } = row;
  if (restartOf(row)) return true;
  return risk !== 'read_only' && (targetKind !== 'host' || guests.length > 0);
}

/** `env`, the shell and `setsid` on the host; inside a guest a missing shell shows as exit code 127. */
function needsOf(row: ExecutionRow): string[] {
  if (row.targetKind !== 'host') return ['setsid', 'pct'];
  return ['setsid', row.dialect === 'bash' ? '/bin/bash' : '/bin/sh'];
}

function answerOf(judged: Exclude<Judged, { kind: 'start' }>): ExecuteAnswer {
  return judged.kind === 'ended' ? endedAnswer(judged.row) : DROPPED;
}
