import { setTimeout as sleep } from 'node:timers/promises';
import { type ExecutionRow, readExecution } from '../shared/db/executions.ts';
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
import { createEnding, DROPPED, type ExecuteAnswer, endedAnswer } from './ending.ts';
import {
  alteredOutcome,
  crashOutcome,
  type Outcome,
  orphanOutcome,
  shutdownOutcome,
} from './outcome.ts';
import { createRuns, isDetached, type RunHand, type RunsDeps } from './runs.ts';
import { isAsGranted } from './seals.ts';
import { createSemaphore } from './ssh/semaphore.ts';
import type { HostSlot, StopReason, Transport } from './ssh/transport.ts';

export interface ExecutorDeps extends RunsDeps {
  readonly transport: Transport;
  readonly claimer: Claimer;
  readonly concurrency: number;
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

interface InHand extends RunHand {
  /** The claim was asked for; its answer may be lost. */
  claiming: boolean;
  claimed: ExecutionRow | undefined;
}

/** Reads, verifies, claims, runs and records executions (K16); the row is the only input. */
export function createExecutor(deps: ExecutorDeps): Executor {
  const { db, transport, claimer, log } = deps;
  const inHand = new Map<string, InHand>();
  const places = createSemaphore(deps.concurrency);
  let draining = false;
  const { owner } = claimer;
  const ending = createEnding({ db, owner, log, hurried: () => draining, onEnded: deps.onEnded });
  const runs = createRuns({ ...deps, owner }, ending);

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
    const forgetful = isDetached(claimed.row) ? await remember(claimed.row) : undefined;
    if (forgetful) return ending.record(claimed.row, forgetful);
    return runs.start(slot, claimed, hand, leave);
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

  const adopt = (found: ExecutionRow): Promise<ExecuteAnswer> =>
    inHands(found.id, async (hand) => {
      hand.claimed = found;
      if (!isAsGranted(found, claimer.seals)) return ending.record(found, alteredOutcome(found));
      const reserved = await transport.reserveUnconnected(found.hostSlug);
      if (!reserved.ok) return ending.record(found, orphanOutcome(found));
      const { slot } = reserved;
      try {
        return await runs.attach(slot, found, hand);
      } finally {
        slot.release();
      }
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
      const held = () => [...inHand.values()].some(({ claimed }) => claimed !== undefined);
      while (held() && performance.now() < deadline) await sleep(50);
      await Promise.all([...inHand.values()].map(giveUp));
    },
  };
}
/** Whether a machine must be looked at between the two verdicts (lookFirst). */
function needsLook(row: ExecutionRow): boolean {
  const { risk, targetKind, guests } = row;
  if (restartOf(row)) return true;
  return risk !== 'read_only' && (targetKind !== 'host' || guests.length > 0);
}

function answerOf(judged: Exclude<Judged, { kind: 'start' }>): ExecuteAnswer {
  return judged.kind === 'ended' ? endedAnswer(judged.row) : DROPPED;
}
