import { setTimeout as sleep } from 'node:timers/promises';
import type { Db } from '../shared/db/client.ts';
import { readNow } from '../shared/db/clock.ts';
import { type ExecutionRow, showSigns } from '../shared/db/executions.ts';
import type { Log } from '../shared/log.ts';
import { type AwaitedRestart, lookAtBoot, restartOf } from './boot.ts';
import type { Outcome } from './outcome.ts';
import { persist } from './persist.ts';
import { meansSilence, OFF_MS, restartOutcome } from './restart.ts';
import type { DurableEnd } from './runner/follow.ts';
import type { HostSlot } from './ssh/transport.ts';

export interface AwaitDeps {
  readonly db: Db;
  readonly owner: string;
  readonly log: Log;
  readonly rebootMs: number;
  readonly keepEnvOption: (hostSlug: string) => boolean;
}

export interface SeenRestart {
  readonly restart: AwaitedRestart;
  readonly end: Exclude<DurableEnd, { kind: 'left' }>;
  /** When the machine went out of sight while the command ran. */
  readonly seenAt: Date | undefined;
}

/** The restart that a claimed row waits for; its boot was noted before the start. */
export function awaitedRestart(row: ExecutionRow): AwaitedRestart | undefined {
  return row.bootBefore === null ? undefined : restartOf(row);
}

/** How long the host may be out of sight while its command runs; undefined: as long as any. */
export function patienceMs(restart: AwaitedRestart, rebootMs: number): number | undefined {
  if (!meansSilence(restart)) return undefined;
  return restart.awaits === 'off' ? OFF_MS : rebootMs;
}

/** Looks at the real machine and the real clock until it is known what became of it. */
export function awaitRestart(
  { db, owner, log, rebootMs, keepEnvOption }: AwaitDeps,
  slot: HostSlot,
  run: SeenRestart & { readonly row: ExecutionRow; readonly stop: AbortSignal },
): Promise<Outcome | 'own_end' | 'left'> {
  const { row, stop, restart, end, seenAt } = run;
  const onError = (error: unknown) =>
    log.warn({ err: error, executionId: row.id }, 'a restart is not followed for the moment');
  const look = () => lookAtBoot(slot, restart, keepEnvOption(row.hostSlug));
  const deps = {
    look,
    now: async () =>
      (await persist(
        { ask: () => readNow(db), gaveUp: () => stop.aborted, pause: sleep, onError },
        () => readNow(db),
      )) ?? new Date(),
    pause: sleep,
    onDown: (since: Date) => {
      const signs = { unreachableSince: since };
      showSigns(db, row.id, { owner, now: since, signs }).catch(onError);
    },
  };
  return restartOutcome(deps, {
    restart,
    end,
    bootBefore: row.bootBefore ?? '',
    // A guest that is restarted from outside may be back before the command has ended.
    seenAt: seenAt ?? (restart.fromOutside ? (row.startedAt ?? undefined) : undefined),
    limitMs: rebootMs,
    cancelRequestedBy: row.cancelRequestedBy,
    stop,
  });
}
