import { and, asc, eq, isNotNull, ne } from 'drizzle-orm';
import type { Db } from '../../../shared/db/client.ts';
import { turns } from '../../../shared/db/schema.ts';
import type { TaskRow } from '../../../shared/db/tasks.ts';

const MAX_TITLE = 80;

/** A task's title: what came of it, else what was answered first, else what was asked. */
export async function titleOf(db: Db, task: TaskRow): Promise<string> {
  if (task.summary) return firstLine(task.summary);
  const [first] = await db
    .select({ answer: turns.answer })
    .from(turns)
    .where(and(eq(turns.taskId, task.id), isNotNull(turns.answer), ne(turns.answer, '')))
    .orderBy(asc(turns.seq))
    .limit(1);
  return firstLine(first?.answer ?? task.goal);
}

function firstLine(text: string): string {
  const line =
    text
      .replaceAll(/[`*_#>]/g, '')
      .trim()
      .split('\n')[0]
      ?.trim() ?? '';
  const points = [...line];
  return points.length > MAX_TITLE ? `${points.slice(0, MAX_TITLE - 1).join('')}…` : line;
}
