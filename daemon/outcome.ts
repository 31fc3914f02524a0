import type { ExecutionRow } from '../shared/db/executions.ts';
import type { ExecutionEvent } from '../shared/domain/execution.ts';
import type { DurableEnd } from './runner/follow.ts';
import type { RunEnd, StopReason } from './ssh/transport.ts';

export interface Outcome {
  readonly event: Extract<
    ExecutionEvent,
    'succeeded' | 'failed' | 'cancelled' | 'lost' | 'refused'
  >;
  readonly reason: string | null;
  readonly exitCode: number | null;
}

type Run = Pick<ExecutionRow, 'risk' | 'timeLimitMs' | 'cancelRequestedBy'>;

/** What a run's end means for its execution. What changes nothing is never lost: it can be asked again. */
export function outcomeOf(end: RunEnd, run: Run): Outcome {
  switch (end.kind) {
    case 'exited':
      return end.stopped ? stoppedOutcome(end.stopped, end.code, run) : exitOutcome(end.code);
    case 'not_started':
      return notStarted(end.reason, end.stopped, run);
    case 'refused':
      return ended('refused', end.reason);
    case 'connection_lost':
      return unknownOutcome(run, 'the connection broke while it ran');
    case 'still_running':
      return run.risk === 'read_only'
        ? ended('failed', 'it was told to stop and did not end')
        : ended('lost', 'it was told to stop and still runs; a guest may be locked');
  }
}

/** What the end of a detached run means. `left` is none: the run goes on. */
export function durableOutcome(end: Exclude<DurableEnd, { kind: 'left' }>, run: Run): Outcome {
  switch (end.kind) {
    case 'exited':
      if (end.task !== undefined) return taskOutcome(end.task, end, run);
      return end.stopped ? stoppedOutcome(end.stopped, end.code, run) : exitOutcome(end.code);
    case 'not_started':
      return notStarted(end.reason, end.stopped, run);
    case 'refused':
      return ended('refused', end.reason);
    case 'host_restarted':
      return unknownOutcome(run, 'its host was restarted while it ran');
    case 'killed':
      return end.stillRuns
        ? ended('lost', 'what watched it on the host was killed; it runs there still')
        : unknownOutcome(run, 'what watched it on the host was killed');
    case 'still_running':
      return ended('lost', 'it was told to stop and still runs; a guest may be locked');
    case 'unreachable':
      return unknownOutcome(run, 'its host could not be reached for too long');
  }
}

function notStarted(why: string, stopped: StopReason | undefined, run: Run): Outcome {
  return stopped === 'cancel'
    ? { event: 'cancelled', reason: stoppedBy(run.cancelRequestedBy), exitCode: null }
    : ended('failed', `nothing was started: ${why}`);
}

/** Who had an orphaned run: this daemon before its restart, another one, or it itself. */
export type Leaver = 'earlier_life' | 'other_daemon' | 'this_life';

const LEFT: Readonly<Record<Leaver, string>> = {
  earlier_life: 'the daemon was restarted while it ran',
  other_daemon: 'the daemon that ran it has gone silent',
  this_life: 'its end could not be stored',
};

/** The end of a run that nobody has in hand any more. */
export function orphanOutcome(
  run: Pick<ExecutionRow, 'risk'>,
  leaver: Leaver = 'earlier_life',
): Outcome {
  return unknownOutcome(run, LEFT[leaver]);
}

/** An error of our own in the middle of a run. */
export function crashOutcome(run: Pick<ExecutionRow, 'risk'>): Outcome {
  return unknownOutcome(run, 'the daemon failed while it ran');
}

/** Its row is not as Oikos left it: nothing that it says of the run is believed. */
export function alteredOutcome(run: Pick<ExecutionRow, 'risk'>): Outcome {
  return unknownOutcome(run, 'its row was changed in the database');
}

/** The daemon stops and cannot wait for the end. */
export function shutdownOutcome(run: Pick<ExecutionRow, 'risk'>): Outcome {
  return unknownOutcome(run, 'the daemon was stopped while it ran');
}

function unknownOutcome({ risk }: Pick<ExecutionRow, 'risk'>, what: string): Outcome {
  return risk === 'read_only'
    ? ended('failed', `${what}; safe to ask again`)
    : ended('lost', `${what}; what it did is not known`);
}

function exitOutcome(code: number): Outcome {
  if (code === 0) return { event: 'succeeded', reason: null, exitCode: 0 };
  return { event: 'failed', reason: `it ended with exit code ${code}`, exitCode: code };
}

/**
 * A Proxmox task goes on without the tool that started it: its end decides, not the tool's. One that
 * was done before a stop reached it is done.
 */
function taskOutcome(
  task: string,
  { code, stopped }: { readonly code: number; readonly stopped?: StopReason },
  run: Run,
): Outcome {
  const told = stopped ? 'it was told to stop' : 'its command was cut off';
  if (/^(OK|WARNINGS)/.test(task)) {
    const reason = `${told}, but its Proxmox task has ended well (${task})`;
    return { event: 'succeeded', reason, exitCode: code };
  }
  if (stopped) return stoppedOutcome(stopped, code, run);
  return task === 'unknown'
    ? unknownOutcome(run, `${told}, and how its Proxmox task ended could not be read`)
    : { event: 'failed', reason: `${told}; its Proxmox task ended: ${task}`, exitCode: code };
}

function stoppedOutcome(stopped: StopReason, exitCode: number, run: Run): Outcome {
  switch (stopped) {
    case 'time_limit': {
      const reason = `stopped after ${Math.round(run.timeLimitMs / 1_000)} s: time limit`;
      return { event: 'failed', reason, exitCode };
    }
    case 'cancel':
      return { event: 'cancelled', reason: stoppedBy(run.cancelRequestedBy), exitCode };
    case 'shutdown':
      return { event: 'failed', reason: 'the daemon was stopped; safe to ask again', exitCode };
  }
}

export function stoppedBy(who: string | null): string {
  return `stopped by ${who ?? 'an operator'}`;
}

function ended(event: Outcome['event'], reason: string): Outcome {
  return { event, reason, exitCode: null };
}

const TASK_TOOLS =
  /(?:^|[^\w-])(?:pct|qm|pvesh|vzdump|qmrestore|pveam|pvesm|ha-manager)(?:$|[^\w-])/;

/**
 * From TERM to KILL, or null for never: a killed Proxmox task leaves its guest locked (K10). What
 * runs inside a guest is no such task.
 */
export function killAfterMs(
  row: Pick<ExecutionRow, 'risk' | 'targetKind' | 'command'>,
): number | null {
  const mayStartTask = row.targetKind === 'host' && TASK_TOOLS.test(row.command);
  return mayStartTask && row.risk !== 'read_only' ? null : 5_000;
}
