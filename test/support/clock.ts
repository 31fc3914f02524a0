import type { Db } from '../../shared/db/client.ts';
import { clockOffset } from '../../shared/db/schema.ts';
import type { Sealer } from '../../shared/seal.ts';
import { clockContent } from '../../shared/sealed.ts';
import { testSeals } from './seals.ts';

/** Moves the clock of everybody who uses this database, sealed as the daemon wants it. */
export async function moveClock(db: Db, ms: number, seals: Sealer = testSeals): Promise<void> {
  await db.transaction(async (tx) => {
    await tx.delete(clockOffset);
    await tx.insert(clockOffset).values({ ms, seal: seals.seal('clock', clockContent({ ms })) });
  });
}
