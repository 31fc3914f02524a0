import { sql } from 'drizzle-orm';
import type { Db } from './client.ts';
import { executionOutput } from './schema.ts';

export interface OutputLines {
  readonly seq: number;
  readonly stream: 'stdout' | 'stderr';
  readonly text: string;
}

/**
 * Appends output of a run and rings `oikos_output` with its id (K9). Rows that are there already
 * are left alone: whoever was not told that they were stored stores them again.
 */
export async function saveOutput(
  db: Db,
  executionId: string,
  rows: readonly OutputLines[],
): Promise<void> {
  await db.transaction(async (tx) => {
    const values = rows.map((row) => ({ ...row, executionId, at: sql<Date>`oikos_now()` }));
    for (let from = 0; from < values.length; from += 500) {
      await tx
        .insert(executionOutput)
        .values(values.slice(from, from + 500))
        .onConflictDoNothing();
    }
    await tx.execute(sql`select pg_notify('oikos_output', ${executionId})`);
  });
}
