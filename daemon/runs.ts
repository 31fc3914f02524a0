import type { Db } from '../shared/db/client.ts';
import type { ExecutionRow } from '../shared/db/executions.ts';
import { targetOf } from '../shared/db/windows.ts';
import type { Log } from '../shared/log.ts';
import { awaitedRestart, awaitRestart, patienceMs, type SeenRestart } from './await-restart.ts';
import { beforeStart } from './before-start.ts';
import type { Startable } from './claim.ts';
import { type DurableRun, followRun } from './durable.ts';
import type { Ending, ExecuteAnswer } from './ending.ts';
import { durableOutcome, killAfterMs, type Outcome, outcomeOf } from './outcome.ts';
import { createRecorder, type OutputSummary, type Recorder } from './output.ts';
import type { SpoolBase } from './runner/scripts.ts';
import type { HostSlot, RunEnd } from './ssh/transport.ts';
import { wrapCommand } from './ssh/wrap.ts';

export interface RunsDeps {
  readonly db: Db;
  readonly redact: (text: string) => string;
  readonly log: Log;
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
}

/** A run as whoever may have to stop it sees it. */
export interface RunHand {
  readonly abort: AbortController;
  /** Set while output is kept. */
  recorder: Recorder | undefined;
}

export interface Runs {
  /** Runs what was claimed, to its recorded end; `onAway` is called when its host is lost meanwhile. */
  start(
    slot: HostSlot,
    start: Startable,
    hand: RunHand,
    onAway: () => void,
  ): Promise<ExecuteAnswer>;
  /** Follows what an earlier owner started, to its recorded end. */
  attach(slot: HostSlot, row: ExecutionRow, hand: RunHand): Promise<ExecuteAnswer>;
}

/** A run that was followed to its end, and the restart that it was meant to bring, if any. */
interface Seen extends Omit<SeenRestart, 'restart'>, Pick<DurableRun, 'onAway'> {
  readonly restart: SeenRestart['restart'] | undefined;
}

/** What only reads lives on its channel and ends with it; everything else is detached on the host. */
export function createRuns(deps: RunsDeps & { readonly owner: string }, ending: Ending): Runs {
  const { log } = deps;

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
    hand: RunHand,
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
    hand: RunHand,
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
    hand: RunHand,
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
      followed = await followRun(deps, slot, { ...run, ...more, recorder, restartMs }, how);
    } finally {
      summary = await recorder.close();
    }
    const { end } = followed;
    if (end.kind === 'left') return ending.letGo(row.id);
    const meaning = await meaningOf(slot, row, hand, { ...more, ...followed, end, restart });
    if (meaning === 'left') return ending.letGo(row.id);
    // The host counted what it did not keep, too.
    const told = end.kind === 'exited' ? { ...summary, bytes: end.bytes } : summary;
    const { outcome, agoSeconds } = meaning;
    const answer = await ending.record(row, outcome, { summary: told, agoSeconds });
    if (answer.kind === 'ended') await followed.clean();
    return answer;
  };

  const meaningOf = async (
    slot: HostSlot,
    row: ExecutionRow,
    hand: RunHand,
    { onAway, restart, ...seen }: Seen,
  ): Promise<{ readonly outcome: Outcome; readonly agoSeconds?: number | undefined } | 'left'> => {
    const { end } = seen;
    if (restart) {
      // Its end is the machine's return, for which it needs no place of ours.
      onAway();
      const stop = hand.abort.signal;
      const outcome = await awaitRestart(deps, slot, { row, stop, restart, ...seen });
      if (outcome === 'left') return outcome;
      if (outcome !== 'own_end') return { outcome };
    }
    const agoSeconds = end.kind === 'exited' ? end.agoSeconds : undefined;
    return { outcome: durableOutcome(end, row), agoSeconds };
  };

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

  return {
    start: (slot, start, hand, onAway) =>
      isDetached(start.row)
        ? runDetached(slot, start, hand, onAway)
        : runOnChannel(slot, start, hand),
    attach: (slot, row, hand) =>
      follow(slot, row, hand, { how: 'attach', onAway: () => undefined }),
  };
}

/** What changes something must outlive the connection; what only reads can be asked again. */
export function isDetached({ risk }: ExecutionRow): boolean {
  return risk !== 'read_only';
}

/** `env`, the shell and `setsid` on the host; inside a guest a missing shell shows as exit code 127. */
function needsOf(row: ExecutionRow): string[] {
  if (row.targetKind !== 'host') return ['setsid', 'pct'];
  return ['setsid', row.dialect === 'bash' ? '/bin/bash' : '/bin/sh'];
}
