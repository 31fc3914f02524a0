import { and, eq, inArray, isNull, lt, sql } from 'drizzle-orm';
import { type ExecutionEvent, isFinal, transition } from '../domain/execution.ts';
import type { OutboxType } from '../domain/outbox.ts';
import { audit } from './audit.ts';
import type { Db, Tx } from './client.ts';
import { announce } from './outbox.ts';
import { executions } from './schema.ts';

export type ExecutionRow = typeof executions.$inferSelect;
type Patch = Omit<Partial<typeof executions.$inferInsert>, 'status' | 'id' | 'risk'>;

export interface Change {
  readonly actor: string;
  readonly now: Date;
  /** The row as `lockExecution` answered in this transaction; left out: it is locked now. */
  readonly locked?: ExecutionRow | undefined;
  /** Further columns that change with the status. */
  readonly patch?: Patch;
  /** Matrix event that caused it. */
  readonly eventId?: string | undefined;
  /** Facts for the ledger. */
  readonly detail?: Record<string, unknown>;
}

/** `moved: false` is the answer for the loser of a race: `row` says what the execution is already. */
export interface Advanced {
  readonly moved: boolean;
  readonly row: ExecutionRow;
}

class NoSuchExecution extends Error {
  override readonly name = 'NoSuchExecution';
}

export async function readExecution(db: Db, id: string): Promise<ExecutionRow | undefined> {
  const [row] = await db.select().from(executions).where(eq(executions.id, id));
  return row;
}

/** Takes the row lock that makes racing callers take turns. */
export async function lockExecution(tx: Tx, id: string): Promise<ExecutionRow> {
  const [row] = await tx.select().from(executions).where(eq(executions.id, id)).for('update');
  if (!row) throw new NoSuchExecution(`no execution ${id}`);
  return row;
}

/**
 * The only code that writes `executions.status`: row lock, pure transition, update, ledger row and
 * outbox row in the caller's transaction. An edge that the table lacks changes nothing.
 */
export async function advance(
  tx: Tx,
  id: string,
  event: ExecutionEvent,
  change: Change,
): Promise<Advanced> {
  const before = change.locked ?? (await lockExecution(tx, id));
  const status = transition(before.status, event);
  if (status === undefined) return { moved: false, row: before };
  const ended = isFinal(status) ? { endedAt: change.now } : {};
  const [row] = await tx
    .update(executions)
    .set({ ...ended, ...change.patch, status })
    .where(eq(executions.id, id))
    .returning();
  if (!row) throw new NoSuchExecution(`execution ${id} vanished under its lock`);
  await audit(tx, {
    at: change.now,
    kind: `execution.${event}`,
    actor: change.actor,
    taskId: row.taskId,
    executionId: id,
    eventId: change.eventId ?? null,
    data: { from: before.status, to: status, ...change.detail },
  });
  const type = outboxTypeOf(row);
  if (type) {
    await announce(tx, {
      type,
      roomId: row.roomId,
      taskId: row.taskId,
      executionId: id,
      at: change.now,
    });
  }
  return { moved: true, row };
}

function outboxTypeOf(row: ExecutionRow): OutboxType | undefined {
  if (isFinal(row.status)) return 'execution.ended';
  if (row.status === 'approved') return 'execution.approved';
  if (row.status === 'running') return 'execution.running';
  return undefined;
}

/** Asks the daemon that runs it to end it (K10); the row stays running until that is done. */
export async function requestCancel(
  tx: Tx,
  id: string,
  { now, by, eventId }: { now: Date; by: string; eventId?: string | undefined },
): Promise<boolean> {
  const asked = await tx
    .update(executions)
    .set({ cancelRequestedAt: now, cancelRequestedBy: by })
    .where(
      and(
        eq(executions.id, id),
        eq(executions.status, 'running'),
        isNull(executions.cancelRequestedAt),
      ),
    )
    .returning({ taskId: executions.taskId });
  const [row] = asked;
  if (!row) return false;
  await audit(tx, {
    at: now,
    kind: 'execution.stop_requested',
    actor: by,
    taskId: row.taskId,
    executionId: id,
    eventId: eventId ?? null,
  });
  return true;
}

/** The execution that has this card number in a room. */
export async function executionByNumber(
  db: Db | Tx,
  roomId: string,
  number: number,
): Promise<ExecutionRow | undefined> {
  const named = and(eq(executions.roomId, roomId), eq(executions.number, number));
  const [row] = await db.select().from(executions).where(named);
  return row;
}

/** Remembers the room's event that shows an execution. */
export async function setCardEvent(db: Db | Tx, id: string, eventId: string): Promise<void> {
  await db.update(executions).set({ cardEvent: eventId }).where(eq(executions.id, id));
}

/** The agent was told of these ends in that turn (K7); rows already told are left alone. */
export async function markSeen(
  tx: Tx,
  ids: readonly string[],
  turn: { readonly id: string; readonly taskId: string },
): Promise<void> {
  if (ids.length === 0) return;
  await tx
    .update(executions)
    .set({ seenInTurn: turn.id })
    .where(
      and(
        inArray(executions.id, [...ids]),
        // Another task that looked it up has not told its own.
        eq(executions.taskId, turn.taskId),
        isNull(executions.seenInTurn),
      ),
    );
}

/** Renews the lease of the runs that `owner` has in hand. */
export async function renewLeases(db: Db | Tx, owner: string, until: Date): Promise<void> {
  await db
    .update(executions)
    .set({ leaseUntil: until })
    .where(and(eq(executions.owner, owner), eq(executions.status, 'running')));
}

/** What a running row shows beside its status. */
export interface RunSigns {
  readonly unreachableSince?: Date | null;
  readonly quietSince?: Date | null;
}

/** Writes signs of a run and has them shown; nothing when `owner` does not hold it any more. */
export function showSigns(
  db: Db,
  id: string,
  { owner, now, signs }: { owner: string; now: Date; signs: RunSigns },
): Promise<void> {
  return db.transaction(async (tx) => {
    const [row] = await tx
      .update(executions)
      .set(signs)
      .where(heldBy(id, owner))
      .returning({ roomId: executions.roomId, taskId: executions.taskId });
    if (!row) return;
    await announce(tx, { type: 'execution.running', ...row, executionId: id, at: now });
  });
}

/** Lets go of a run that goes on: whoever comes next need not wait for the lease. */
export async function releaseRun(db: Db, id: string, owner: string, now: Date): Promise<void> {
  await db
    .update(executions)
    .set({ leaseUntil: now, unreachableSince: unseenSince(now) })
    .where(heldBy(id, owner));
}

/** A machine that restarts may take us along: since when nobody has seen it is told at its return. */
function unseenSince(at: Date) {
  const { unreachableSince, bootBefore } = executions;
  const first = sql`coalesce(${unreachableSince}, ${at.toISOString()}::timestamptz)`;
  return sql`case when ${bootBefore} is null then ${unreachableSince} else ${first} end`;
}

/**
 * Takes over a run whose holder is gone; undefined when it is not as it was found. Of racing callers
 * one gets the row.
 */
export function takeOverRun(
  db: Db,
  id: string,
  take: {
    /** The row as it was found: somebody who renewed its lease meanwhile keeps it. */
    readonly found: Pick<ExecutionRow, 'owner' | 'leaseUntil'>;
    readonly owner: string;
    readonly now: Date;
    readonly leaseUntil: Date;
    /** When its former owner was there for certain, for the last time. */
    readonly seenAt: Date;
  },
): Promise<ExecutionRow | undefined> {
  const { found, owner, now, leaseUntil, seenAt } = take;
  return db.transaction(async (tx) => {
    const [row] = await tx
      .update(executions)
      .set({ owner, leaseUntil, unreachableSince: unseenSince(seenAt) })
      .where(
        and(
          eq(executions.id, id),
          eq(executions.status, 'running'),
          sql`${executions.owner} is not distinct from ${found.owner}`,
          found.leaseUntil === null
            ? isNull(executions.leaseUntil)
            : eq(executions.leaseUntil, found.leaseUntil),
        ),
      )
      .returning();
    if (!row) return undefined;
    const data = { formerOwner: found.owner };
    const kind = 'execution.taken_over';
    await audit(tx, { at: now, kind, actor: owner, taskId: row.taskId, executionId: id, data });
    return row;
  });
}

function heldBy(id: string, owner: string) {
  return and(eq(executions.id, id), eq(executions.status, 'running'), eq(executions.owner, owner));
}

/** A site's running rows that nobody holds any more: another life of `daemon`, or a lease that ran out. */
export async function orphanedRuns(
  db: Db | Tx,
  { daemon, owner, site, now }: { daemon: string; owner: string; site: string; now: Date },
): Promise<ExecutionRow[]> {
  const earlierLife = sql`split_part(${executions.owner}, '/', 1) = ${daemon} and ${executions.owner} <> ${owner}`;
  return db
    .select()
    .from(executions)
    .where(
      and(
        eq(executions.status, 'running'),
        eq(executions.site, site),
        sql`(${earlierLife} or ${lt(executions.leaseUntil, now)})`,
      ),
    );
}
