import { durationText } from '../shared/domain/duration.ts';
import type { AwaitedRestart, Sight } from './boot.ts';
import { type Outcome, stoppedBy } from './outcome.ts';
import type { DurableEnd } from './runner/follow.ts';

/** Without an answer for so long, a machine that was told to power off is off. */
export const OFF_MS = 60_000;
const PAUSE_MS = 1_000;

export interface RestartDeps {
  readonly look: () => Promise<Sight>;
  readonly now: () => Promise<Date>;
  readonly pause: (ms: number) => Promise<unknown>;
  /** It is down, last seen then; for the row, so that another daemon can tell as well. */
  readonly onDown: (seenAt: Date) => void;
}

export interface RestartWait {
  readonly restart: AwaitedRestart;
  readonly bootBefore: string;
  /** How the command itself ended. */
  readonly end: Exclude<DurableEnd, { kind: 'left' }>;
  /** When the machine was seen last, where it went out of sight while the command ran. */
  readonly seenAt: Date | undefined;
  readonly limitMs: number;
  readonly cancelRequestedBy: string | null;
  readonly stop: AbortSignal;
}

/**
 * What became of a run that was meant to take a machine down: its end is the machine's return (or
 * its going), not an exit code that it may never have lived to tell. `own_end`: the command's own end
 * says it after all; `left`: this daemon is ending.
 */
export async function restartOutcome(
  deps: RestartDeps,
  wait: RestartWait,
): Promise<Outcome | 'own_end' | 'left'> {
  const { end, restart, limitMs } = wait;
  const name = restart.machine.slug;
  const exitCode = end.kind === 'exited' ? end.code : null;
  const told = (event: 'succeeded' | 'failed', reason: string): Outcome => {
    if (wasReached(wait)) return { event, reason, exitCode };
    const doubt = 'whether the earlier steps finished is not known: look';
    return { event: 'lost', reason: `${reason}; ${doubt}`, exitCode };
  };
  const gone = () => told('failed', `${name} has not come back within ${minutes(limitMs)}`);
  if (end.kind === 'unreachable') {
    if (!meansSilence(restart)) return 'own_end';
    return restart.awaits === 'off'
      ? told('succeeded', `${name} is off: it does not answer any more`)
      : gone();
  }
  const trusts = trustOf(wait);
  if (trusts === 'end') return 'own_end';
  const watched = await watch(deps, wait, trusts === 'first_look');
  switch (watched.kind) {
    case 'back': {
      const time = durationText(watched.downMs);
      return restart.awaits === 'reboot'
        ? told('succeeded', `${name} is back after ${time}`)
        : told('failed', `${name} came back after ${time} instead of staying off`);
    }
    case 'off':
      return told('succeeded', `${name} is off`);
    case 'same':
      return 'own_end';
    case 'unmoved': {
      if (end.kind === 'killed') return 'own_end';
      const verb = restart.awaits === 'reboot' ? 'reboot' : 'power off';
      const reason = `${name} did not ${verb} within ${minutes(limitMs)}: it still is in the same boot`;
      return { event: 'failed', reason, exitCode };
    }
    case 'gone':
      return gone();
    case 'cancel':
      return { event: 'cancelled', reason: stoppedBy(wait.cancelRequestedBy), exitCode };
    case 'shutdown':
      return 'left';
  }
}

const minutes = (ms: number) => `${Math.ceil(ms / 60_000)} min`;

/** Its host is meant to fall silent, and nothing else comes before that. */
export function meansSilence({ alone, machine }: AwaitedRestart): boolean {
  return alone && machine.kind === 'host';
}

/** Only the command's own word tells the restart from a power cut in the middle of an earlier step. */
function wasReached({ restart, end }: RestartWait): boolean {
  return restart.alone || (end.kind === 'exited' && end.code === 0);
}

/** 128 and the number of the signal. */
const wasKilled = (code: number) => code > 128 && code <= 192;

/**
 * Whether the command's own end says it all, or the machine must be looked at: once, because the
 * command failed and may not have come to its restart, or until it has done what it was told to.
 */
function trustOf({ end, restart }: RestartWait): 'end' | 'first_look' | 'machine' {
  switch (end.kind) {
    case 'exited': {
      if (end.stopped) return 'end';
      if (end.code === 0 || wasKilled(end.code)) return 'machine';
      return restart.fromOutside ? 'end' : 'first_look';
    }
    case 'not_started':
      // A spool that lay in memory is gone after a reboot.
      return end.absent ? 'first_look' : 'end';
    case 'host_restarted':
    case 'killed':
      return 'machine';
    default:
      return 'end';
  }
}

type Watched =
  | { readonly kind: 'back'; readonly downMs: number }
  | { readonly kind: 'off' | 'same' | 'unmoved' | 'gone' | 'cancel' | 'shutdown' };

async function watch(
  deps: RestartDeps,
  wait: RestartWait,
  firstLookDecides: boolean,
): Promise<Watched> {
  let vigil = vigilFrom(wait, await deps.now());
  for (;;) {
    const sight = await deps.look();
    const now = await deps.now();
    if (firstLookDecides && isOldBoot(sight, wait.bootBefore)) return { kind: 'same' };
    const before = vigil;
    vigil = afterSight(vigil, sight, now, wait.bootBefore);
    if (vigil.downAt && !before.downAt) deps.onDown(vigil.lastSeen);
    const watched = concluded(wait, vigil, sight, now);
    if (watched) return watched;
    const { aborted, reason } = wait.stop;
    if (aborted) return { kind: reason === 'shutdown' ? 'shutdown' : 'cancel' };
    await deps.pause(PAUSE_MS);
  }
}

function vigilFrom({ end, seenAt }: RestartWait, now: Date): Vigil {
  const ago = end.kind === 'exited' ? (end.agoSeconds ?? 0) * 1_000 : 0;
  const endedAt = new Date(now.getTime() - ago);
  return { endedAt, lastSeen: seenAt ?? endedAt, downAt: undefined };
}

interface Vigil {
  readonly endedAt: Date;
  readonly lastSeen: Date;
  /** Since when it is missed here: before that perhaps nobody has looked. */
  readonly downAt: Date | undefined;
}

function isOldBoot(sight: Sight, bootBefore: string): boolean {
  return sight.kind === 'up' && sight.boot === bootBefore;
}

function afterSight(vigil: Vigil, sight: Sight, now: Date, bootBefore: string): Vigil {
  if (sight.kind !== 'up') return { ...vigil, downAt: vigil.downAt ?? now };
  return isOldBoot(sight, bootBefore) ? { ...vigil, lastSeen: now, downAt: undefined } : vigil;
}

function concluded(
  { restart, bootBefore, limitMs }: RestartWait,
  { endedAt, lastSeen, downAt }: Vigil,
  sight: Sight,
  now: Date,
): Watched | undefined {
  const since = (moment: Date) => now.getTime() - moment.getTime();
  if (sight.kind === 'up' && sight.boot !== bootBefore) {
    return { kind: 'back', downMs: since(lastSeen) };
  }
  if (!downAt) return since(endedAt) >= limitMs ? { kind: 'unmoved' } : undefined;
  const isOff = sight.kind === 'off' || since(downAt) >= OFF_MS;
  if (restart.awaits === 'off' && isOff) return { kind: 'off' };
  return since(downAt) >= limitMs ? { kind: 'gone' } : undefined;
}
