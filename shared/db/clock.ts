import { sql } from 'drizzle-orm';
import type { Sealer } from '../seal.ts';
import { clockContent } from '../sealed.ts';
import type { Db, Tx } from './client.ts';
import { clockOffset } from './schema.ts';

/** The database's now (K13). Read it once per operation and pass it to pure code. */
export async function readNow(db: Db | Tx): Promise<Date> {
  const { rows } = await db.execute<{ now: Date | string }>(sql`select oikos_now() as now`);
  const [row] = rows;
  if (!row) throw new Error('oikos_now() returned no row');
  return new Date(row.now);
}

/** How far the clocks of two machines may be apart. */
export const CLOCK_TOLERANCE_MS = 5 * 60_000;

/** How far the clock was moved: 0 outside tests. Nothing starts by what nobody sealed. */
export async function movedMs(tx: Tx): Promise<number> {
  return (await offsetRow(tx))?.ms ?? 0;
}

async function offsetRow(tx: Tx) {
  const [moved] = await tx.select().from(clockOffset).limit(1);
  return moved;
}

/**
 * Why the database's clock cannot be gone by, in words; undefined when it is the clock of this machine.
 * Whoever turns it back would open again what is over, whoever turns it on would renew what is used up.
 * @param here this machine's own clock
 */
export async function clockTrouble(tx: Tx, seals: Sealer, here: Date): Promise<string | undefined> {
  const moved = await offsetRow(tx);
  if (moved && !seals.fits('clock', clockContent(moved), moved.seal)) {
    return 'somebody moved the clock in the database (clock_offset)';
  }
  const apart = (await readNow(tx)).getTime() - (moved?.ms ?? 0) - here.getTime();
  return Math.abs(apart) > CLOCK_TOLERANCE_MS
    ? `the clocks of the database and of the daemon are ${Math.round(Math.abs(apart) / 60_000)} minutes apart`
    : undefined;
}
