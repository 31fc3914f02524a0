import { eq, sql } from 'drizzle-orm';
import type { Db, Tx } from './client.ts';
import { executionOutput } from './schema.ts';

export interface KeptOutput {
  readonly stdout: string;
  readonly stderr: string;
  /** Both streams in the order in which they were recorded. */
  readonly both: string;
  /** Something between head and tail was left out of this reading. */
  readonly cut: boolean;
}

/** Reads the beginning and the end of what a run printed, at most about `maxBytes` of each. */
export async function readOutput(
  db: Db | Tx,
  executionId: string,
  maxBytes = 64 * 1024,
): Promise<KeptOutput> {
  const size = sql<number>`octet_length(${executionOutput.text})`;
  const before = sql<number>`sum(${size}) over (order by ${executionOutput.seq}) - ${size}`;
  const after = sql<number>`sum(${size}) over (order by ${executionOutput.seq} desc) - ${size}`;
  const ranked = db
    .select({
      seq: executionOutput.seq,
      stream: executionOutput.stream,
      text: executionOutput.text,
      before: sql<number>`${before}`.as('before'),
      after: sql<number>`${after}`.as('after'),
    })
    .from(executionOutput)
    .where(eq(executionOutput.executionId, executionId))
    .as('ranked');
  const rows = await db
    .select({ seq: ranked.seq, stream: ranked.stream, text: ranked.text })
    .from(ranked)
    .where(sql`${ranked.before} < ${maxBytes} or ${ranked.after} < ${maxBytes}`)
    .orderBy(ranked.seq);
  const of = (stream: string) =>
    rows
      .filter((row) => row.stream === stream)
      .map(({ text }) => text)
      .join('');
  const cut = rows.some((row, at) => at > 0 && row.seq !== (rows[at - 1]?.seq ?? 0) + 1);
  return {
    stdout: of('stdout'),
    stderr: of('stderr'),
    both: rows.map(({ text }) => text).join(''),
    cut,
  };
}
