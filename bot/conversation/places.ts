import { and, eq, inArray } from 'drizzle-orm';
import { audit } from '../../shared/db/audit.ts';
import type { Db, Tx } from '../../shared/db/client.ts';
import { eventById } from '../../shared/db/inbox.ts';
import { agentSessions, approvals, executions } from '../../shared/db/schema.ts';
import { nextTaskNumber, openTasks, type TaskRow, taskById } from '../../shared/db/tasks.ts';
import { MAIN_TASK_QUIET_MS } from '../../shared/domain/task.ts';
import { markOf } from './marks.ts';

/** Where words were said: the main timeline, a thread under our own event, or a thread of its own. */
export type Place =
  | { readonly kind: 'main' }
  | { readonly kind: 'task'; readonly task: TaskRow }
  | { readonly kind: 'thread'; readonly root: string };

/** No event id is longer; anything else names no thread. */
const MAX_EVENT_ID = 255;

/** K11: a thread under one of our events belongs to that event's task, under a person's it is new. */
export async function placeOf(
  db: Db | Tx,
  userId: string,
  { roomId, threadRoot }: { readonly roomId: string; readonly threadRoot?: string | undefined },
): Promise<Place> {
  if (threadRoot === undefined || threadRoot.length > MAX_EVENT_ID) return { kind: 'main' };
  const root = await eventById(db, threadRoot);
  const ours = root?.sender === userId && root.roomId === roomId;
  const mark = ours ? markOf(root.content) : undefined;
  const task = mark ? await taskById(db, mark.task) : undefined;
  return task ? { kind: 'task', task } : { kind: 'thread', root: threadRoot };
}

interface Opening {
  readonly roomId: string;
  readonly place: Place;
  readonly agent: string;
  readonly goal: string;
  readonly by: string;
  readonly now: Date;
}

/** The task that a message belongs to; a new one where the place has none, or its last is over. */
export async function taskFor(tx: Tx, opening: Opening): Promise<TaskRow> {
  const { place, roomId, now } = opening;
  if (place.kind === 'task' && isOpen(place.task)) return place.task;
  const root = place.kind === 'thread' ? place.root : rootOf(place);
  const [current] = await openTasks(tx, roomId, root);
  if (current && !(await isOver(tx, current, now))) return current;
  if (current) await closeTask(tx, current, { status: 'abandoned', by: 'oikos', now });
  return openTask(tx, opening, root);
}

/** Neither done nor abandoned. */
export function isOpen(task: TaskRow): boolean {
  return task.status === 'open' || task.status === 'waiting';
}

export async function closeTask(
  tx: Tx,
  task: TaskRow,
  change: {
    status: 'done' | 'abandoned';
    outcome?: 'success' | 'partial' | 'failure';
    summary?: string;
    by: string;
    now: Date;
  },
): Promise<void> {
  const { by, now, ...columns } = change;
  await tx
    .update(agentSessions)
    .set({ ...columns, closedAt: now })
    .where(eq(agentSessions.id, task.id));
  await audit(tx, { at: now, kind: `task.${change.status}`, actor: by, taskId: task.id });
}

/** Cards that wait and commands that are queued or run: a task with any of them is not over. */
export async function openWork(tx: Db | Tx, taskId: string): Promise<number> {
  const cards = await tx
    .select({ id: approvals.id })
    .from(approvals)
    .where(and(eq(approvals.taskId, taskId), eq(approvals.status, 'pending')));
  const runs = await tx
    .select({ id: executions.id })
    .from(executions)
    .where(
      and(
        eq(executions.taskId, taskId),
        inArray(executions.status, ['proposed', 'approved', 'running']),
      ),
    );
  return cards.length + runs.length;
}

function rootOf(place: Place): string | null {
  return place.kind === 'task' ? place.task.threadRoot : null;
}

async function isOver(tx: Tx, task: TaskRow, now: Date): Promise<boolean> {
  if (task.threadRoot !== null) return false;
  if (now.getTime() - task.lastActiveAt.getTime() < MAIN_TASK_QUIET_MS) return false;
  return (await openWork(tx, task.id)) === 0;
}

async function openTask(tx: Tx, opening: Opening, threadRoot: string | null): Promise<TaskRow> {
  const { roomId, agent, goal, by, now } = opening;
  const [task] = await tx
    .insert(agentSessions)
    .values({
      number: await nextTaskNumber(tx, roomId),
      roomId,
      threadRoot,
      agent,
      goal: goal.slice(0, 500),
      status: 'open',
      createdAt: now,
      lastActiveAt: now,
    })
    .returning();
  if (!task) throw new Error('inserting a task returned no row');
  await audit(tx, { at: now, kind: 'task.opened', actor: by, taskId: task.id });
  return task;
}
