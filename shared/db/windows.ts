import { randomUUID } from 'node:crypto';
import { and, eq, gt, isNull } from 'drizzle-orm';
import { objectsOf } from '../domain/objects.ts';
import type { Origin } from '../domain/origin.ts';
import type { Target } from '../domain/target.ts';
import { ASSENT_WINDOW_MS, DESTRUCTIVE_WINDOW_MS, type WindowKind } from '../domain/window.ts';
import type { Sealer } from '../seal.ts';
import { windowContent } from '../sealed.ts';
import { audit } from './audit.ts';
import type { Tx } from './client.ts';
import type { ExecutionRow } from './executions.ts';
import { windows } from './schema.ts';
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
}

/** Closes the open windows of a task, of one kind when given; says how many. */
export async function revokeWindows(
  tx: Tx,
  taskId: string,
  now: Date,
  by: string,
  kind?: WindowKind,
): Promise<number> {
  const closed = await tx
    .update(windows)
    .set({ revokedAt: now })
    .where(
      and(
        eq(windows.taskId, taskId),
        isNull(windows.revokedAt),
        gt(windows.expiresAt, now),
        kind ? eq(windows.kind, kind) : undefined,
      ),
    )
    .returning({ id: windows.id, key: windows.key });
  for (const { id: window, key } of closed) {
    await audit(tx, { at: now, kind: 'window.closed', actor: by, taskId, data: { key, window } });
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
  if (vmid === null) throw new Error(`execution ${execution.id} on ${slug} has no vmid`);
  return { kind, slug, name, host: hostSlug, vmid };
}
