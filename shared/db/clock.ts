import { sql } from 'drizzle-orm';
import type { Db, Tx } from './client.ts';

/** The database's now (K13). Read it once per operation and pass it to pure code. */
export async function readNow(db: Db | Tx): Promise<Date> {
  const { rows } = await db.execute<{ now: Date | string }>(sql`select oikos_now() as now`);
  const [row] = rows;
  if (!row) throw new Error('oikos_now() returned no row');
  return new Date(row.now);
}
