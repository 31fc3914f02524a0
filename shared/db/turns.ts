import { and, asc, desc, eq, inArray, isNotNull, notExists, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/pg-core';
import type { TurnTrigger } from '../domain/task.ts';
import type { Db, Tx } from './client.ts';
import { agentSessions, executions, rooms, turns } from './schema.ts';

export type TurnRow = typeof turns.$inferSelect;

/** The turn of a task that has not ended, if there is one; running before queued. */
export async function liveTurn(tx: Tx | Db, taskId: string): Promise<TurnRow | undefined> {
  const rows = await tx
    .select()
    .from(turns)
    .where(and(eq(turns.taskId, taskId), inArray(turns.status, ['running', 'queued'])));
  return rows.find(({ status }) => status === 'running') ?? rows[0];
}

/** The turn of a task that was made last, ended or not. */
export async function latestTurn(tx: Tx | Db, taskId: string): Promise<TurnRow | undefined> {
  const [row] = await tx
    .select()
    .from(turns)
    .where(eq(turns.taskId, taskId))
    .orderBy(desc(turns.seq))
    .limit(1);
  return row;
}

export interface NewTurn {
  readonly taskId: string;
  readonly trigger: TurnTrigger;
  readonly requestedBy: string;
  readonly byOperator: boolean;
  readonly stopEpoch: number;
  readonly sourceEvent: string | null;
  readonly now: Date;
}

export async function queueTurn(tx: Tx, { now, ...turn }: NewTurn): Promise<TurnRow> {
  const [row] = await tx
    .insert(turns)
    .values({ ...turn, status: 'queued', createdAt: now })
    .returning();
  if (!row) throw new Error('inserting a turn returned no row');
  return row;
}

/**
 * The turn that an operator's own command stands under: ended at once, because no model takes part.
 * The same event again finds the same turn.
 */
export async function commandTurn(
  tx: Tx,
  task: { readonly id: string; readonly stopEpoch: number },
  { sender, eventId, now }: { sender: string; eventId: string; now: Date },
): Promise<TurnRow> {
  const [known] = await tx
    .select()
    .from(turns)
    .where(and(eq(turns.sourceEvent, eventId), eq(turns.trigger, 'command')));
  if (known) return known;
  const [row] = await tx
    .insert(turns)
    .values({
      taskId: task.id,
      trigger: 'command',
      requestedBy: sender,
      byOperator: true,
      stopEpoch: task.stopEpoch,
      status: 'ended',
      sourceEvent: eventId,
      createdAt: now,
      startedAt: now,
      endedAt: now,
    })
    .returning();
  if (!row) throw new Error('inserting a turn returned no row');
  return row;
}

/** Queued turns whose task has none running, oldest first; none of a paused room. */
export async function claimableTurns(db: Db, limit: number): Promise<TurnRow[]> {
  const other = alias(turns, 'other');
  const running = db
    .select({ one: sql`1` })
    .from(other)
    .where(and(eq(other.taskId, turns.taskId), eq(other.status, 'running')));
  const paused = db
    .select({ one: sql`1` })
    .from(rooms)
    .innerJoin(agentSessions, eq(agentSessions.roomId, rooms.roomId))
    .where(and(eq(agentSessions.id, turns.taskId), isNotNull(rooms.pausedAt)));
  return db
    .select()
    .from(turns)
    .where(and(eq(turns.status, 'queued'), notExists(running), notExists(paused)))
    .orderBy(asc(turns.seq))
    .limit(limit);
}

/** Turns that a former life of the bot left running. */
export async function runningTurns(db: Db): Promise<TurnRow[]> {
  return db.select().from(turns).where(eq(turns.status, 'running')).orderBy(asc(turns.seq));
}

/** queued → running; false when somebody else was first or the task has a running turn. */
export async function claimTurn(db: Db, id: string, now: Date): Promise<boolean> {
  const claimed = await db
    .update(turns)
    .set({ status: 'running', startedAt: now })
    .where(and(eq(turns.id, id), eq(turns.status, 'queued')))
    .returning({ id: turns.id });
  return claimed.length > 0;
}

export async function turnById(db: Db | Tx, id: string): Promise<TurnRow | undefined> {
  const [row] = await db.select().from(turns).where(eq(turns.id, id));
  return row;
}

export async function setProgressEvent(db: Db, id: string, progressEvent: string): Promise<void> {
  await db.update(turns).set({ progressEvent }).where(eq(turns.id, id));
}

/** What runs, or is about to, of the turn whose progress an event shows. */
export async function runsOfProgress(
  db: Db | Tx,
  progressEvent: string,
): Promise<{ id: string; taskId: string }[]> {
  return db
    .select({ id: executions.id, taskId: executions.taskId })
    .from(executions)
    .innerJoin(turns, eq(turns.id, executions.turnId))
    .where(
      and(
        eq(turns.progressEvent, progressEvent),
        inArray(executions.status, ['approved', 'running']),
      ),
    );
}

/** The turn serves a viewer's words too: it loses what an operator's turn may do. */
export async function narrowTurn(tx: Tx, id: string): Promise<void> {
  await tx.update(turns).set({ byOperator: false }).where(eq(turns.id, id));
}
