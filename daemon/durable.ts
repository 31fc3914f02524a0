import type { Db } from '../shared/db/client.ts';
import { readNow } from '../shared/db/clock.ts';
import { type ExecutionRow, type RunSigns, showSigns } from '../shared/db/executions.ts';
import type { Log } from '../shared/log.ts';
import type { Recorder } from './output.ts';
import { type Followed, runDurably } from './runner/follow.ts';
import type { SpoolBase } from './runner/scripts.ts';
import type { HostSlot, Preflight } from './ssh/transport.ts';

export interface DurableDeps {
  readonly db: Db;
  readonly owner: string;
  readonly log: Log;
  /** How long a host may be away before its runs count as lost. */
  readonly unreachableMs: number;
  /** Without output for so long, people are told. */
  readonly quietMs: number;
  /** Left out: the host's own folders. */
  readonly spoolBases?: readonly SpoolBase[] | undefined;
}

export interface DurableRun {
  readonly row: ExecutionRow;
  readonly line: string;
  readonly needs: readonly string[];
  readonly killAfterMs: number | null;
  readonly preflight?: Preflight;
  readonly stop: AbortSignal;
  readonly recorder: Recorder;
  /** How long the host may be away now that it is meant to restart; left out: as long as any. */
  readonly restartMs?: number | undefined;
  /** The host is away: the run needs nothing of ours until it is back. */
  readonly onAway: () => void;
}

/**
 * Follows a detached run and keeps its signs on the row: since when its host is away, since when it
 * prints nothing. Signs are only shown; a row that cannot be written now is written the next time.
 */
export async function followRun(
  deps: DurableDeps,
  slot: HostSlot,
  run: DurableRun,
  how: 'start' | 'attach',
): Promise<Followed & { readonly seenAt: Date | undefined }> {
  const { db, owner, log } = deps;
  const { row, recorder } = run;
  const shown: { since: Date | null; quiet: boolean } = {
    since: row.unreachableSince,
    quiet: row.quietSince !== null,
  };
  let seenAt = row.unreachableSince ?? undefined;
  let awayAt: Date | undefined;
  const show = (now: Date, signs: RunSigns) => showSigns(db, row.id, { owner, now, signs });
  const report = (error: unknown) =>
    log.warn({ err: error, executionId: row.id }, 'signs of a run are not stored');

  const onQuiet = () => {
    shown.quiet = true;
    readNow(db)
      .then((now) => show(now, { quietSince: new Date(now.getTime() - deps.quietMs) }))
      .catch(report);
  };
  let quietTimer = setTimeout(onQuiet, deps.quietMs);
  const onLife = () => {
    clearTimeout(quietTimer);
    quietTimer = setTimeout(onQuiet, deps.quietMs);
    if (!shown.quiet && shown.since === null) return;
    shown.quiet = false;
    shown.since = null;
    readNow(db)
      .then((now) => show(now, { quietSince: null, unreachableSince: null }))
      .catch(report);
  };
  const onBroken = () => {
    readNow(db)
      .then((now) => {
        seenAt = now;
      })
      .catch(report);
  };
  const onUnreachable = async (why: string): Promise<boolean> => {
    run.onAway();
    clearTimeout(quietTimer);
    try {
      const now = await readNow(db);
      awayAt ??= now;
      seenAt ??= now;
      if (shown.since === null) {
        log.warn({ executionId: row.id, host: row.hostSlug, why }, 'a run cannot be reached');
        await show(now, { unreachableSince: now });
        shown.since = now;
      }
      // A daemon that comes up with the host has not waited for it yet.
      if (run.restartMs !== undefined) return now.getTime() - awayAt.getTime() < run.restartMs;
      return now.getTime() - shown.since.getTime() < deps.unreachableMs;
    } catch (error) {
      report(error);
      return true;
    }
  };

  const ageBefore = how === 'attach' ? await ageOf(db, row, report) : 0;
  const followedSince = performance.now();

  try {
    const followed = await runDurably(
      slot,
      {
        id: row.id,
        bases: deps.spoolBases,
        line: run.line,
        needs: run.needs,
        limitMs: row.timeLimitMs,
        killAfterMs: run.killAfterMs,
        preflight: run.preflight,
        stop: run.stop,
        onOutput(stream, text) {
          onLife();
          recorder.push(stream, text);
        },
        onGap: recorder.gap,
        onLife,
        onBroken,
        ageSeconds: () => ageBefore + (performance.now() - followedSince) / 1_000,
        onUnreachable,
      },
      how,
    );
    return { ...followed, seenAt };
  } finally {
    clearTimeout(quietTimer);
  }
}

/** Seconds since its start; a database that is away says nothing, and then nothing is taken from that. */
async function ageOf(
  db: Db,
  { startedAt }: ExecutionRow,
  report: (error: unknown) => void,
): Promise<number> {
  if (startedAt === null) return 0;
  try {
    return ((await readNow(db)).getTime() - startedAt.getTime()) / 1_000;
  } catch (error) {
    report(error);
    return 0;
  }
}
