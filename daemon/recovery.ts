import type { Db } from '../shared/db/client.ts';
import { readNow } from '../shared/db/clock.ts';
import { runsOf } from '../shared/db/due.ts';
import { advance, type ExecutionRow, orphanedRuns, takeOverRun } from '../shared/db/executions.ts';
import { LEASE_MS } from './claim.ts';
import { type Leaver, orphanOutcome } from './outcome.ts';

interface Finder {
  readonly daemon: string;
  readonly owner: string;
  readonly site: string;
  /** In our own hands: a late renewal makes no orphan. */
  readonly holds: (id: string) => boolean;
  /** Follows a run that is ours now to its end; not waited for. */
  readonly adopt: (run: ExecutionRow) => void;
}

/**
 * Looks after runs that nobody holds any more: those of an earlier life of this daemon, and those
 * whose lease ran out. What only reads has ended with its channel; the rest may run on its host, is
 * taken over and followed, and never started again. Answers how many there were.
 */
export async function recoverOrphans(db: Db, who: Finder): Promise<number> {
  const now = await readNow(db);
  const left = (await orphanedRuns(db, { ...who, now })).filter((run) => isOrphan(run, who, now));
  // A run of this life slipped out of our hands when its end could not be stored.
  const slipped = (await runsOf(db, who.owner)).filter(
    ({ leaseUntil }) => !isPast(leaseUntil, now),
  );
  const orphans = [...left, ...slipped].filter(({ id }) => !who.holds(id));
  for (const orphan of orphans) {
    if (orphan.risk === 'read_only') await endRead(db, orphan, who, now);
    else await adoptRun(db, orphan, who, now);
  }
  return orphans.length;
}

async function endRead(db: Db, orphan: ExecutionRow, who: Finder, now: Date): Promise<void> {
  const { event, reason } = orphanOutcome(orphan, whoLeft(orphan, who));
  await db.transaction((tx) =>
    advance(tx, orphan.id, event, {
      actor: who.owner,
      now,
      patch: { reason, leaseUntil: null },
      detail: { formerOwner: orphan.owner },
    }),
  );
}

async function adoptRun(db: Db, found: ExecutionRow, who: Finder, now: Date): Promise<void> {
  const { owner } = who;
  const leaseUntil = new Date(now.getTime() + LEASE_MS);
  const seenAt = new Date(Math.min(now.getTime(), (found.leaseUntil ?? now).getTime() - LEASE_MS));
  const run = await takeOverRun(db, found.id, { found, owner, now, leaseUntil, seenAt });
  if (run) who.adopt(run);
}

/** A name may hold characters that a pattern of SQL reads as any other. */
function isOrphan(run: ExecutionRow, { daemon }: Finder, now: Date): boolean {
  const ofOurName = run.owner?.startsWith(`${daemon}/`) ?? false;
  return ofOurName || isPast(run.leaseUntil, now);
}

function isPast(moment: Date | null, now: Date): boolean {
  return moment !== null && moment < now;
}

function whoLeft({ owner }: ExecutionRow, finder: Finder): Leaver {
  if (owner === finder.owner) return 'this_life';
  return owner?.startsWith(`${finder.daemon}/`) ? 'earlier_life' : 'other_daemon';
}
