import { randomUUID } from 'node:crypto';
import { and, asc, eq, gt, isNull, lte } from 'drizzle-orm';
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
import { agentSessions, windows } from './schema.ts';
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
  const { execution, task } = opening;
  await open(tx, opening, {
    kind: 'assent',
    key: `assent_window.agent:${task.agent}.task:T${task.number}`,
    object: null,
    verb: null,
    lifeMs: ASSENT_WINDOW_MS,
  });
  if (execution.risk !== 'destructive') return;
  const objects = objectsOf(execution.gate, targetOf(execution));
  const [object] = objects ?? [];
  if (object === undefined || objects?.length !== 1) return;
  await open(tx, opening, {
    kind: 'destructive',
    key: `destructive_window.agent:${task.agent}.target:${object}`,
    object,
    verb: execution.gate.confirm?.verb ?? null,
    lifeMs: DESTRUCTIVE_WINDOW_MS,
  });
}

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
): Promise<void> {
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
  // A further yes opens a further one; the room hears of the first, and of the last one's end.
  if (first) {
    await announce(tx, {
      type: 'window.opened',
      roomId: task.roomId,
      taskId: task.id,
      executionId: execution.id,
      approvalId,
      data: { windowId: row.id },
      at: now,
    });
  }
  await audit(tx, {
    at: now,
    kind: 'window.opened',
    actor: by,
    taskId: task.id,
    executionId: execution.id,
    approvalId,
    data: { key: window.key, until: expiresAt.toISOString(), coversSeq: task.readSeq },
  });
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
  readonly taskId: string;
  readonly kind: WindowKind;
  readonly object: string | null;
}

/** The room hears why an earlier yes covers nothing more. */
async function announceClosed(
  tx: Tx,
  { taskId, kind, object }: ClosedWindow,
  why: string,
  now: Date,
): Promise<void> {
  const [task] = await tx.select().from(agentSessions).where(eq(agentSessions.id, taskId));
  if (!task) return;
  const { roomId } = task;
  await announce(tx, {
    type: 'window.closed',
    roomId,
    taskId,
    data: { kind, object, why },
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
    for (const window of over) {
      if ((await openOfKey(tx, window.taskId, window.key, now)) > 0) continue;
      await announceClosed(tx, window, 'its time is over', now);
    }
  });
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
    .where(and(eq(windows.taskId, taskId), isNull(windows.revokedAt), gt(windows.expiresAt, now)))
    .returning();
  const told = new Set<string>();
  for (const window of closed) {
    const { id, key } = window;
    const data = { key, window: id };
    await audit(tx, { at: now, kind: 'window.closed', actor: by, taskId, data });
    if (tell !== undefined && !told.has(key)) await announceClosed(tx, window, tell, now);
    told.add(key);
  }
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
    .where(and(eq(windows.approvalId, approvalId), isNull(windows.revokedAt)))
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
        isNull(windows.revokedAt),
        gt(windows.expiresAt, now),
      ),
    );
  for (const window of open) {
    if (foreign.every((origin) => origin === homeOf(window.object))) continue;
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
    await announceClosed(tx, window, 'because text from elsewhere was read', now);
  }
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
