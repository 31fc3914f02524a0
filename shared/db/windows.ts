import { randomUUID } from 'node:crypto';
import { and, asc, eq, gt, isNull, lte, notExists, or, type SQL, sql } from 'drizzle-orm';
import { objectsOf } from '../domain/objects.ts';
import type { Origin } from '../domain/origin.ts';
import type { Target } from '../domain/target.ts';
import { ASSENT_WINDOW_MS, DESTRUCTIVE_WINDOW_MS, type WindowKind } from '../domain/window.ts';
import type { Sealer } from '../seal.ts';
import { windowContent } from '../sealed.ts';
import { audit } from './audit.ts';
import type { Db, Tx } from './client.ts';
import type { ExecutionRow } from './executions.ts';
import { announce } from './outbox.ts';
import { agentSessions, auditEvents, windows } from './schema.ts';
import type { TaskRow } from './tasks.ts';

interface Opening {
  readonly execution: ExecutionRow;
  readonly approvalId: string;
  readonly by: string;
  readonly task: TaskRow;
  readonly now: Date;
  readonly seals: Sealer;
}

/**
 * What a yes opens: the assent window of the task, and for a confirmed destruction the destructive
 * window of its one object. A host as object opens none.
 */
export async function openWindows(tx: Tx, opening: Opening): Promise<void> {
  const { execution, task, approvalId, now } = opening;
  const assent = await open(tx, opening, {
    kind: 'assent',
    key: `assent_window.agent:${task.agent}.task:T${task.number}`,
    object: null,
    verb: null,
    lifeMs: ASSENT_WINDOW_MS,
  });
  const object = execution.risk === 'destructive' ? onlyObject(execution) : undefined;
  const destructive =
    object === undefined
      ? undefined
      : await open(tx, opening, {
          kind: 'destructive',
          key: `destructive_window.agent:${task.agent}.target:${object}`,
          object,
          verb: execution.gate.confirm?.verb ?? null,
          lifeMs: DESTRUCTIVE_WINDOW_MS,
        });
  const windowIds = [assent, destructive].filter((id) => id !== undefined);
  if (windowIds.length === 0) return;
  // What one yes opens is one line in the room.
  await announce(tx, {
    type: 'window.opened',
    roomId: task.roomId,
    taskId: task.id,
    executionId: execution.id,
    approvalId,
    data: { windowIds },
    at: now,
  });
}

function onlyObject(execution: ExecutionRow): string | undefined {
  const objects = objectsOf(execution.gate, targetOf(execution));
  return objects?.length === 1 ? objects[0] : undefined;
}

/**
 * Answers the window's id where the room must hear of it: a further yes opens a further one, and the
 * room hears of the first, and of the last one's end.
 */
async function open(
  tx: Tx,
  { execution, approvalId, by, task, now, seals }: Opening,
  window: {
    kind: WindowKind;
    key: string;
    object: string | null;
    verb: string | null;
    lifeMs: number;
  },
): Promise<string | undefined> {
  const { lifeMs, ...identity } = window;
  const expiresAt = new Date(now.getTime() + lifeMs);
  const first = (await openOfKey(tx, task.id, window.key, now)) === 0;
  const row = {
    ...identity,
    id: randomUUID(),
    agent: task.agent,
    taskId: task.id,
    openedBy: by,
    approvalId,
    openedAt: now,
    expiresAt,
    coversSeq: task.readSeq,
  };
  await tx.insert(windows).values({ ...row, seal: seals.seal('window', windowContent(row)) });
  await audit(tx, {
    at: now,
    kind: 'window.opened',
    actor: by,
    taskId: task.id,
    executionId: execution.id,
    approvalId,
    data: { key: window.key, until: expiresAt.toISOString(), coversSeq: task.readSeq },
  });
  return first ? row.id : undefined;
}

export interface RoomWindow {
  readonly window: typeof windows.$inferSelect;
  readonly taskNumber: number;
}

/** What is open in a room, the one that ends first before the others. */
export async function openWindowsOfRoom(
  db: Db | Tx,
  roomId: string,
  now: Date,
): Promise<RoomWindow[]> {
  return db
    .select({ window: windows, taskNumber: agentSessions.number })
    .from(windows)
    .innerJoin(agentSessions, eq(agentSessions.id, windows.taskId))
    .where(
      and(eq(agentSessions.roomId, roomId), isNull(windows.revokedAt), gt(windows.expiresAt, now)),
    )
    .orderBy(asc(windows.expiresAt));
}

function openOfKey(tx: Tx, taskId: string, key: string, now: Date): Promise<number> {
  return tx.$count(
    windows,
    and(
      eq(windows.taskId, taskId),
      eq(windows.key, key),
      isNull(windows.revokedAt),
      gt(windows.expiresAt, now),
    ),
  );
}

interface ClosedWindow {
  readonly kind: WindowKind;
  readonly object: string | null;
}

/** The room hears, once for all windows of a task, why an earlier yes covers nothing more. */
async function announceClosed(
  tx: Tx,
  taskId: string,
  closed: readonly ClosedWindow[],
  { why, now }: { why: string; now: Date },
): Promise<void> {
  if (closed.length === 0) return;
  const windows = closed.map(({ kind, object }) => ({ kind, object }));
  const [task] = await tx.select().from(agentSessions).where(eq(agentSessions.id, taskId));
  if (!task) return;
  const { roomId } = task;
  await announce(tx, {
    type: 'window.closed',
    roomId,
    taskId,
    data: { windows, why },
    at: now,
  });
}

/** Tells of windows whose time has run out, once, unless a later yes keeps the same open. */
export function endOutlivedWindows(db: Db, now: Date): Promise<void> {
  return db.transaction(async (tx) => {
    const over = await tx
      .update(windows)
      .set({ endTold: true })
      .where(
        and(eq(windows.endTold, false), isNull(windows.revokedAt), lte(windows.expiresAt, now)),
      )
      .returning();
    for (const [taskId, own] of Map.groupBy(over, (window) => window.taskId)) {
      const gone: ClosedWindow[] = [];
      for (const window of own) {
        if ((await openOfKey(tx, taskId, window.key, now)) === 0) gone.push(window);
      }
      await announceClosed(tx, taskId, onePerKey(gone), { why: 'its time is over', now });
    }
  });
}

/**
 * Not closed by its row and by the ledger: a row that somebody else closed can be put back, and only
 * the ledger keeps it closed for good.
 */
function unclosed(tx: Tx): SQL | undefined {
  const closed = tx
    .select()
    .from(auditEvents)
    .where(
      and(
        eq(auditEvents.taskId, windows.taskId),
        eq(auditEvents.kind, 'window.closed'),
        sql`${auditEvents.data} ->> 'window' = ${windows.id}::text`,
      ),
    );
  return or(isNull(windows.revokedAt), notExists(closed));
}

/**
 * Closes the open windows of a task; says how many. `tell`: why, where the room does not hear it from
 * the very words that closed them.
 */
export async function revokeWindows(
  tx: Tx,
  taskId: string,
  now: Date,
  by: string,
  { tell }: { tell?: string } = {},
): Promise<number> {
  const closed = await tx
    .update(windows)
    .set({ revokedAt: now })
    .where(and(eq(windows.taskId, taskId), unclosed(tx), gt(windows.expiresAt, now)))
    .returning();
  for (const { id, key } of closed) {
    const data = { key, window: id };
    await audit(tx, { at: now, kind: 'window.closed', actor: by, taskId, data });
  }
  if (tell !== undefined) await announceClosed(tx, taskId, onePerKey(closed), { why: tell, now });
  return closed.length;
}

/** Closes what one yes opened, when that yes is taken back. */
export async function revokeWindowsOf(
  tx: Tx,
  approvalId: string,
  now: Date,
  by: string,
): Promise<void> {
  const closed = await tx
    .update(windows)
    .set({ revokedAt: now })
    .where(and(eq(windows.approvalId, approvalId), unclosed(tx)))
    .returning({ id: windows.id, key: windows.key, taskId: windows.taskId });
  for (const { id: window, key, taskId } of closed) {
    await audit(tx, { at: now, kind: 'window.closed', actor: by, taskId, data: { key, window } });
  }
}

/**
 * Bytes from elsewhere close destructive windows (K4): a window stays only while what is read comes
 * from the operator, from Oikos, or from the confirmed object and the host that it lives on.
 */
export async function revokeForeignWindows(
  tx: Tx,
  taskId: string,
  origins: readonly Origin[],
  now: Date,
): Promise<void> {
  const foreign = origins.filter((origin) => origin !== 'operator' && origin !== 'oikos');
  if (foreign.length === 0) return;
  const open = await tx
    .select()
    .from(windows)
    .where(
      and(
        eq(windows.taskId, taskId),
        eq(windows.kind, 'destructive'),
        unclosed(tx),
        gt(windows.expiresAt, now),
      ),
    );
  const closed = open.filter(({ object }) => !foreign.every((origin) => origin === homeOf(object)));
  for (const window of closed) {
    await tx.update(windows).set({ revokedAt: now }).where(eq(windows.id, window.id));
    await audit(tx, {
      at: now,
      kind: 'window.closed',
      actor: 'oikos',
      taskId,
      data: {
        key: window.key,
        window: window.id,
        why: 'text from elsewhere was read',
        origins: foreign,
      },
    });
  }
  const why = 'because text from elsewhere was read';
  await announceClosed(tx, taskId, onePerKey(closed), { why, now });
}

/** Several yeses may have opened the same. */
function onePerKey<T extends { readonly kind: WindowKind; readonly object: string | null }>(
  windows: readonly T[],
): T[] {
  return [...new Map(windows.map((one) => [`${one.kind} ${one.object}`, one])).values()];
}

/** The origin of the machine in an object's key, e.g. `host:lab` of `lxc/135@host:lab`. */
function homeOf(object: string | null): Origin | undefined {
  const slug = object?.slice(object.lastIndexOf('@') + 1);
  if (!slug) return undefined;
  return slug.startsWith('host:') ? `host:${slug.slice(5)}` : `guest:${slug}`;
}

/** The target tuple as it was stored at proposal. */
export function targetOf(execution: ExecutionRow): Target {
  const { targetKind: kind, targetSlug: slug, targetName: name, hostSlug, vmid } = execution;
  if (kind === 'host') return { kind, slug, name };
  // No guest has this id: a row that lost its own is not what was judged.
  return { kind, slug, name, host: hostSlug, vmid: vmid ?? 0 };
}
