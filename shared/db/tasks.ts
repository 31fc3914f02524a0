import { and, asc, eq, inArray, isNotNull, or, sql } from 'drizzle-orm';
import type { Read } from '../domain/origin.ts';
import type { Window } from '../domain/window.ts';
import type { Db, Tx } from './client.ts';
import { agentSessions, messages, rooms, windows } from './schema.ts';

export type TaskRow = typeof agentSessions.$inferSelect;

/** First in the lock order: task, execution, approval, window. */
export async function lockTask(tx: Tx, id: string): Promise<TaskRow | undefined> {
  const [row] = await tx.select().from(agentSessions).where(eq(agentSessions.id, id)).for('update');
  return row;
}

/** The next card number of a room; numbers are never handed out twice. */
export async function nextCardNumber(tx: Tx, roomId: string): Promise<number> {
  return (await bump(tx, roomId, 'card')).lastCard;
}

/** The next task number of a room. */
export async function nextTaskNumber(tx: Tx, roomId: string): Promise<number> {
  return (await bump(tx, roomId, 'task')).lastTask;
}

async function bump(tx: Tx, roomId: string, what: 'card' | 'task') {
  await tx.insert(rooms).values({ roomId }).onConflictDoNothing();
  const set =
    what === 'card'
      ? { lastCard: sql`${rooms.lastCard} + 1` }
      : { lastTask: sql`${rooms.lastTask} + 1` };
  const [row] = await tx.update(rooms).set(set).where(eq(rooms.roomId, roomId)).returning();
  if (!row) throw new Error(`room ${roomId} has no row`);
  return row;
}

/** Everything that entered the task's context, with its origins, in order (K4). */
export async function readsOfTask(db: Db | Tx, taskId: string): Promise<Read[]> {
  const rows = await db
    .select({ seq: messages.readSeq, origins: messages.origins })
    .from(messages)
    .where(and(eq(messages.taskId, taskId), isNotNull(messages.readSeq)))
    .orderBy(asc(messages.readSeq));
  return rows.flatMap(({ seq, origins }) => origins.map((origin) => ({ seq: seq ?? 0, origin })));
}

export async function windowsOfTask(db: Db | Tx, taskId: string): Promise<Window[]> {
  return db.select().from(windows).where(eq(windows.taskId, taskId)).orderBy(asc(windows.openedAt));
}

export async function taskById(db: Db | Tx, id: string): Promise<TaskRow | undefined> {
  const [row] = await db.select().from(agentSessions).where(eq(agentSessions.id, id));
  return row;
}

/** A task that lives in this thread, over or not. */
export async function taskOfThread(
  db: Db | Tx,
  roomId: string,
  threadRoot: string,
): Promise<TaskRow | undefined> {
  const [row] = await db
    .select()
    .from(agentSessions)
    .where(and(eq(agentSessions.roomId, roomId), eq(agentSessions.threadRoot, threadRoot)))
    .limit(1);
  return row;
}

/** Tasks of a room where something may still happen, closed or not: what `stop` must reach. */
export async function liveTasks(
  db: Db | Tx,
  roomId: string,
  threadRoot?: string,
): Promise<TaskRow[]> {
  const place = threadRoot === undefined ? undefined : eq(agentSessions.threadRoot, threadRoot);
  const works = sql`exists (select 1 from executions e where e.task_id = ${agentSessions.id}
    and e.status in ('proposed', 'pending_approval', 'approved', 'running'))`;
  const thinks = sql`exists (select 1 from turns t where t.task_id = ${agentSessions.id}
    and t.status <> 'ended')`;
  const open = inArray(agentSessions.status, ['open', 'waiting']);
  return db
    .select()
    .from(agentSessions)
    .where(and(eq(agentSessions.roomId, roomId), place, or(open, works, thinks)))
    .orderBy(asc(agentSessions.number));
}

/** Tasks of a room that are not closed; of one place in it when `threadRoot` is given. */
export async function openTasks(
  db: Db | Tx,
  roomId: string,
  threadRoot?: string | null,
): Promise<TaskRow[]> {
  const place =
    threadRoot === undefined
      ? undefined
      : sql`coalesce(${agentSessions.threadRoot}, '') = ${threadRoot ?? ''}`;
  return db
    .select()
    .from(agentSessions)
    .where(
      and(
        eq(agentSessions.roomId, roomId),
        inArray(agentSessions.status, ['open', 'waiting']),
        place,
      ),
    )
    .orderBy(asc(agentSessions.number));
}
