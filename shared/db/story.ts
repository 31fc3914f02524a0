import { and, asc, eq, getTableColumns, inArray, or, sql } from 'drizzle-orm';
import type { DecisionRow } from './approvals.ts';
import type { Db } from './client.ts';
import type { ExecutionRow } from './executions.ts';
import {
  agentSessions,
  approvals,
  auditChain,
  auditEvents,
  decisions,
  executions,
  windows,
} from './schema.ts';
import type { TaskRow } from './tasks.ts';

export type StoryEvent = typeof auditEvents.$inferSelect & {
  /** Its place in the hash chain; null for a row that was smuggled in. */
  readonly place: number | null;
};

/** An execution or a task, and what the ledger has of it in order. */
export interface Story {
  readonly task: TaskRow | undefined;
  readonly executions: readonly ExecutionRow[];
  readonly decisions: readonly DecisionRow[];
  readonly events: readonly StoryEvent[];
}

/** How people name what they want the story of. */
export type StorySubject =
  | { readonly kind: 'execution'; readonly id: string }
  | { readonly kind: 'card'; readonly number: number; readonly room?: string }
  | { readonly kind: 'task'; readonly number: number; readonly room?: string };

/**
 * The stories that a name fits: cards and tasks are numbered per room, so that one number may stand
 * for several.
 */
export async function storiesOf(db: Db, subject: StorySubject): Promise<Story[]> {
  if (subject.kind === 'task') {
    const found = await db
      .select()
      .from(agentSessions)
      .where(and(eq(agentSessions.number, subject.number), inRoom(subject.room, 'task')));
    return Promise.all(found.map((task) => storyOfTask(db, task)));
  }
  const wanted =
    subject.kind === 'card'
      ? and(eq(executions.number, subject.number), inRoom(subject.room, 'card'))
      : sql`${executions.id}::text like ${`${subject.id}%`}`;
  const found = await db.select().from(executions).where(wanted).limit(20);
  return Promise.all(found.map((execution) => storyOfExecution(db, execution)));
}

function inRoom(room: string | undefined, of: 'task' | 'card') {
  if (room === undefined) return undefined;
  return eq(of === 'task' ? agentSessions.roomId : executions.roomId, room);
}

async function storyOfExecution(db: Db, execution: ExecutionRow): Promise<Story> {
  const [task] = await db
    .select()
    .from(agentSessions)
    .where(eq(agentSessions.id, execution.taskId));
  const own = await db
    .select({ id: approvals.id })
    .from(approvals)
    .where(eq(approvals.executionId, execution.id));
  const opener = await openerOf(db, execution);
  const approvalIds = [...own.map(({ id }) => id), ...opener];
  const events = await eventsWhere(
    db,
    or(
      eq(auditEvents.executionId, execution.id),
      approvalIds.length > 0 ? inArray(auditEvents.approvalId, approvalIds) : undefined,
    ),
  );
  return { task, executions: [execution], decisions: await decisionsOf(db, approvalIds), events };
}

/** The yes that opened the window which it ran under belongs to the story. */
async function openerOf(db: Db, { authorization }: ExecutionRow): Promise<string[]> {
  if (authorization?.kind !== 'window') return [];
  const rows = await db
    .select({ id: windows.approvalId })
    .from(windows)
    .where(eq(windows.id, authorization.windowId));
  return rows.map(({ id }) => id);
}

async function storyOfTask(db: Db, task: TaskRow): Promise<Story> {
  const rows = await db
    .select()
    .from(executions)
    .where(eq(executions.taskId, task.id))
    .orderBy(asc(executions.proposedAt));
  const cards = await db
    .select({ id: approvals.id })
    .from(approvals)
    .where(eq(approvals.taskId, task.id));
  return {
    task,
    executions: rows,
    decisions: await decisionsOf(
      db,
      cards.map(({ id }) => id),
    ),
    events: await eventsWhere(db, eq(auditEvents.taskId, task.id)),
  };
}

async function decisionsOf(db: Db, approvalIds: readonly string[]): Promise<DecisionRow[]> {
  if (approvalIds.length === 0) return [];
  return db
    .select()
    .from(decisions)
    .where(inArray(decisions.approvalId, [...approvalIds]))
    .orderBy(asc(decisions.at));
}

async function eventsWhere(db: Db, wanted: ReturnType<typeof and>): Promise<StoryEvent[]> {
  return db
    .select({ ...getTableColumns(auditEvents), place: auditChain.place })
    .from(auditEvents)
    .leftJoin(auditChain, eq(auditChain.eventSeq, auditEvents.seq))
    .where(wanted)
    .orderBy(asc(auditChain.place), asc(auditEvents.seq));
}
