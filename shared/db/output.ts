import { eq, sql } from 'drizzle-orm';
import type { Db } from './client.ts';
import { executionOutput } from './schema.ts';

export interface OutputLines {
  readonly seq: number;
  readonly stream: 'stdout' | 'stderr';
  readonly text: string;
}

/** Rows of 32 KiB are sent in small statements: each is held in memory several times over. */
const ROWS_A_STATEMENT = 16;

/**
 * Appends output of a run and rings `oikos_output` with its id (K9). Rows that are there already
 * are left alone: whoever was not told that they were stored stores them again. `anew`: in place of
 * what an earlier owner of the run had stored, for output that is read again from its beginning.
 */
export async function saveOutput(
  db: Db,
  executionId: string,
  rows: readonly OutputLines[],
  { anew = false }: { readonly anew?: boolean } = {},
): Promise<void> {
  await db.transaction(async (tx) => {
    if (anew) {
      await tx.delete(executionOutput).where(eq(executionOutput.executionId, executionId));
    }
    for (let from = 0; from < rows.length; from += ROWS_A_STATEMENT) {
      const values = rows
        .slice(from, from + ROWS_A_STATEMENT)
        .map((row) => ({ ...row, executionId, at: sql<Date>`oikos_now()` }));
      await tx.insert(executionOutput).values(values).onConflictDoNothing();
    }
    await tx.execute(sql`select pg_notify('oikos_output', ${executionId})`);
  });
}
