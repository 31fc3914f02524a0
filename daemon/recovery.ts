import type { Db } from '../shared/db/client.ts';
import { readNow } from '../shared/db/clock.ts';
import { advance, orphanedRuns } from '../shared/db/executions.ts';
import { orphanOutcome } from './outcome.ts';

/**
 * Ends runs that nobody holds any more: those of an earlier life of this daemon, and those whose
 * lease ran out. They are told and never started again. Answers how many.
 */
export async function recoverOrphans(
  db: Db,
  who: {
    readonly daemon: string;
    readonly owner: string;
    /** In our own hands: a late renewal makes no orphan. */
    readonly holds: (id: string) => boolean;
  },
): Promise<number> {
  const now = await readNow(db);
  const orphans = (await orphanedRuns(db, { ...who, now })).filter(({ id }) => !who.holds(id));
  for (const orphan of orphans) {
    const { event, reason } = orphanOutcome(orphan);
    await db.transaction((tx) =>
      advance(tx, orphan.id, event, {
        actor: who.owner,
        now,
        patch: { reason, leaseUntil: null },
        detail: { formerOwner: orphan.owner },
      }),
    );
  }
  return orphans.length;
}
