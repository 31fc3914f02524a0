import { and, desc, eq } from 'drizzle-orm';
import type { Db } from '../../shared/db/client.ts';
import { executionOutput, executions } from '../../shared/db/schema.ts';

const MAX_TAIL = 100;

/** The last line that the running command of a call has printed; undefined while there is none. */
export async function lastLineOf(db: Db, callKey: string): Promise<string | undefined> {
  const [row] = await db
    .select({ text: executionOutput.text })
    .from(executionOutput)
    .innerJoin(executions, eq(executions.id, executionOutput.executionId))
    .where(and(eq(executions.callKey, callKey), eq(executions.status, 'running')))
    .orderBy(desc(executionOutput.seq))
    .limit(1);
  const line = row?.text.trimEnd().split('\n').at(-1)?.trim();
  if (!line) return undefined;
  const points = [...line];
  return points.length > MAX_TAIL ? `${points.slice(0, MAX_TAIL - 1).join('')}…` : line;
}
