import { and, eq } from 'drizzle-orm';
import type { Db } from '../../../shared/db/client.ts';
import type { ExecutionRow } from '../../../shared/db/executions.ts';
import { agentSessions, executions } from '../../../shared/db/schema.ts';
import type { TaskRow } from '../../../shared/db/tasks.ts';

/** `#7`, `7`: numbers count per room. */
export function readNumber(word: string | undefined): number | undefined {
  const digits = /^#?(\d{1,9})$/.exec(word ?? '')?.[1];
  return digits === undefined ? undefined : Number(digits);
}

/** `T3`, `t3`. */
export function readTaskNumber(word: string | undefined): number | undefined {
  const digits = /^t(\d{1,9})$/i.exec(word ?? '')?.[1];
  return digits === undefined ? undefined : Number(digits);
}

export async function numberedExecution(
  db: Db,
  roomId: string,
  number: number,
): Promise<ExecutionRow | undefined> {
  const here = and(eq(executions.roomId, roomId), eq(executions.number, number));
  const [row] = await db.select().from(executions).where(here);
  return row;
}

export async function numberedTask(
  db: Db,
  roomId: string,
  number: number,
): Promise<TaskRow | undefined> {
  const here = and(eq(agentSessions.roomId, roomId), eq(agentSessions.number, number));
  const [row] = await db.select().from(agentSessions).where(here);
  return row;
}
