import { setTimeout as sleep } from 'node:timers/promises';
import type { Db } from '../shared/db/client.ts';
import { readNow } from '../shared/db/clock.ts';
import { advance, type ExecutionRow, lockExecution, releaseRun } from '../shared/db/executions.ts';
import { saveOutput } from '../shared/db/output.ts';
import type { ExecutionStatus } from '../shared/domain/execution.ts';
import type { Log } from '../shared/log.ts';
import { type Outcome, stoppedBy } from './outcome.ts';
import type { OutputRow, OutputSummary } from './output.ts';
import { persist } from './persist.ts';

/** `dropped`: it was not approved, or somebody else has it; that is no error. */
export type ExecuteAnswer =
  | { readonly kind: 'dropped' }
  | { readonly kind: 'ended'; readonly status: ExecutionStatus; readonly reason: string | null };

export const DROPPED: ExecuteAnswer = { kind: 'dropped' };

export interface EndingDeps {
  readonly db: Db;
  /** The daemon's life that claimed what it ends. */
  readonly owner: string;
  readonly log: Log;
  /** True when the process is about to end. */
  readonly hurried: () => boolean;
  readonly onEnded?: ((row: ExecutionRow, ms: number) => void) | undefined;
}

/** Writes what became of claimed runs. What the database cannot take now is tried again. */
export interface Ending {
  record(row: ExecutionRow, outcome: Outcome, more?: EndFacts): Promise<ExecuteAnswer>;
  /** The answer to our claim was lost: if it went through, nothing was started all the same. */
  giveBack(id: string): Promise<ExecuteAnswer>;
  /** `anew`: in place of what an earlier owner of the run had stored. */
  saveOutput(id: string, rows: readonly OutputRow[], anew?: boolean): Promise<void>;
  /** The run goes on without us: whoever adopts it need not wait for our lease. */
  letGo(id: string): Promise<ExecuteAnswer>;
}

export interface EndFacts {
  readonly summary?: OutputSummary | undefined;
  /** It ended so long ago, while nobody was there. */
  readonly agoSeconds?: number | undefined;
}

export function createEnding({ db, owner: actor, log, hurried, onEnded }: EndingDeps): Ending {
  const keep = <T>(executionId: string, what: string, work: () => Promise<T>) =>
    persist(
      {
        ask: () => readNow(db),
        gaveUp: hurried,
        pause: sleep,
        onError: (error) => log.error({ err: error, executionId }, `${what} is not stored yet`),
      },
      work,
    );

  const recordOnce = (row: ExecutionRow, outcome: Outcome, { summary, agoSeconds = 0 }: EndFacts) =>
    db.transaction(async (tx): Promise<ExecuteAnswer> => {
      const now = await readNow(tx);
      const locked = await lockExecution(tx, row.id);
      const { event, exitCode } = outcome;
      const patch = {
        // Who asked for the stop is in the row as it is now, not as it was claimed.
        reason: event === 'cancelled' ? stoppedBy(locked.cancelRequestedBy) : outcome.reason,
        exitCode,
        leaseUntil: null,
        unreachableSince: null,
        quietSince: null,
        ...(agoSeconds > 1 && { endedAt: new Date(now.getTime() - agoSeconds * 1_000) }),
        // Claimed, but what was found in front of the start forbade it.
        ...(event === 'refused' && { startedAt: null }),
        ...(summary && { outputBytes: summary.bytes, outputCut: summary.cut }),
      };
      const advanced = await advance(tx, row.id, event, { actor, now, locked, patch });
      if (advanced.moved) noteEnd(advanced.row, now);
      return endedAnswer(advanced.row);
    });

  const giveBackOnce = (id: string) =>
    db.transaction(async (tx): Promise<ExecuteAnswer> => {
      const now = await readNow(tx);
      const { owner, status } = await lockExecution(tx, id);
      if (owner !== actor || status !== 'running') return DROPPED;
      const reason = 'the database broke in the middle of the start; nothing was started';
      const patch = { reason, leaseUntil: null };
      return endedAnswer((await advance(tx, id, 'refused', { actor, now, patch })).row);
    });

  const noteEnd = (row: ExecutionRow, now: Date) => {
    const { id: executionId, targetSlug: target, status } = row;
    const ms = now.getTime() - (row.startedAt ?? now).getTime();
    log.info({ executionId, target, status, ms }, 'execution ended');
    onEnded?.(row, ms);
  };

  return {
    record: async (row, outcome, facts = {}) =>
      (await keep(row.id, 'the end', () => recordOnce(row, outcome, facts))) ?? DROPPED,
    giveBack: async (id) => (await keep(id, 'the start', () => giveBackOnce(id))) ?? DROPPED,
    saveOutput: (id, rows, anew = false) =>
      keep(id, 'output', () => saveOutput(db, id, rows, { anew })),
    async letGo(id) {
      await keep(id, 'the handing over', async () => releaseRun(db, id, actor, await readNow(db)));
      return DROPPED;
    },
  };
}

export function endedAnswer({ status, reason }: ExecutionRow): ExecuteAnswer {
  return { kind: 'ended', status, reason };
}
