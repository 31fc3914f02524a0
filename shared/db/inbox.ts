import { and, asc, desc, eq, gt, inArray, lt, sql } from 'drizzle-orm';
import type { Sealer } from '../seal.ts';
import { eventContent } from '../sealed.ts';
import { storableValue } from '../storable.ts';
import type { Db, Tx } from './client.ts';
import { readNow } from './clock.ts';
import { matrixInbox, matrixState } from './schema.ts';

export type InboxRow = typeof matrixInbox.$inferSelect;

/** A room event as the sync delivered it. */
export interface SyncedEvent {
  readonly roomId: string;
  readonly eventId: string;
  readonly sender: string;
  readonly type: string;
  readonly stateKey?: string | undefined;
  readonly content: Record<string, unknown>;
  readonly originServerTs: number;
  readonly redacts?: string | undefined;
  /** From a first sync: kept for order, never acted on. */
  readonly history: boolean;
}

/** Where the sync loop keeps its events and its place; both change in one transaction. */
export function inboxStore(db: Db, seals: Sealer) {
  return {
    loadToken: () => readState(db, 'sync_token'),
    loadFilter: () => readState(db, 'sync_filter'),
    saveFilter: (filter: string) => writeState(db, 'sync_filter', filter),
    async commit(events: readonly SyncedEvent[], token: string): Promise<void> {
      await db.transaction(async (tx) => {
        const now = await readNow(tx);
        for (const event of events) await insertEvent(tx, seals, event, now);
        await writeState(tx, 'sync_token', token);
      });
    },
  };
}

async function insertEvent(tx: Tx, seals: Sealer, event: SyncedEvent, now: Date): Promise<void> {
  const { history, originServerTs, ...rest } = event;
  const [row] = await tx
    .insert(matrixInbox)
    .values({
      ...storableValue(rest),
      originTs: new Date(originServerTs),
      receivedAt: now,
      status: history ? 'history' : 'new',
    })
    .onConflictDoNothing({ target: matrixInbox.eventId })
    .returning();
  // What is only kept for its order is never acted on: it gets no seal.
  if (!row || history) return;
  // Its place is known only now.
  const seal = seals.seal('event', eventContent(row));
  await tx.update(matrixInbox).set({ seal }).where(eq(matrixInbox.seq, row.seq));
}

/** The event is as the sync brought it, at the place where it came. */
export function isAsSynced(row: InboxRow, seals: Sealer): boolean {
  return seals.fits('event', eventContent(row), row.seal);
}

/** Events that nobody handled yet, in sync order. */
export async function newEvents(db: Db, limit = 100): Promise<InboxRow[]> {
  return db
    .select()
    .from(matrixInbox)
    .where(eq(matrixInbox.status, 'new'))
    .orderBy(asc(matrixInbox.seq))
    .limit(limit);
}

export async function markHandled(db: Db | Tx, seq: number): Promise<void> {
  await db.update(matrixInbox).set({ status: 'done' }).where(eq(matrixInbox.seq, seq));
}

export async function eventById(db: Db | Tx, eventId: string): Promise<InboxRow | undefined> {
  const [row] = await db.select().from(matrixInbox).where(eq(matrixInbox.eventId, eventId));
  return row;
}

/**
 * Begins the sync anew, as if it were the first: what is not handled yet, and whatever comes until the
 * next one, is history.
 */
export async function forgetSyncPlace(tx: Tx): Promise<void> {
  await tx.update(matrixInbox).set({ status: 'history' }).where(eq(matrixInbox.status, 'new'));
  await tx.delete(matrixState).where(eq(matrixState.key, 'sync_token'));
}

/**
 * When the newest of the earlier events of these senders in a room was written: by server time, and no
 * later than we heard it. One event dated ahead must not make everything after it old.
 */
export async function newestBefore(
  db: Db | Tx,
  { roomId, seq }: { readonly roomId: string; readonly seq: number },
  senders: readonly string[],
): Promise<Date | null> {
  const [row] = await db
    .select({
      at: sql`max(least(${matrixInbox.originTs}, ${matrixInbox.receivedAt}))`.mapWith(
        matrixInbox.originTs,
      ),
    })
    .from(matrixInbox)
    .where(
      and(
        eq(matrixInbox.roomId, roomId),
        lt(matrixInbox.seq, seq),
        inArray(matrixInbox.sender, [...senders]),
      ),
    );
  return row?.at ?? null;
}

/** The room's messages strictly between two places of the sync order. */
export async function messagesBetween(
  db: Db | Tx,
  roomId: string,
  after: number,
  before: number,
): Promise<InboxRow[]> {
  return db
    .select()
    .from(matrixInbox)
    .where(and(messageBefore(roomId, before), gt(matrixInbox.seq, after)))
    .orderBy(asc(matrixInbox.seq));
}

/** Edits of ours are among them: the last words before a place are found behind some. */
const LAST_MESSAGES = 20;

/** The room's latest messages before a place of the sync order, the newest first. */
export async function lastMessagesBefore(
  db: Db | Tx,
  roomId: string,
  before: number,
): Promise<InboxRow[]> {
  return db
    .select()
    .from(matrixInbox)
    .where(messageBefore(roomId, before))
    .orderBy(desc(matrixInbox.seq))
    .limit(LAST_MESSAGES);
}

function messageBefore(roomId: string, before: number) {
  return and(
    eq(matrixInbox.roomId, roomId),
    eq(matrixInbox.type, 'm.room.message'),
    lt(matrixInbox.seq, before),
  );
}

async function readState(db: Db | Tx, key: string): Promise<string | null> {
  const [row] = await db.select().from(matrixState).where(eq(matrixState.key, key));
  return row?.value ?? null;
}

async function writeState(db: Db | Tx, key: string, value: string): Promise<void> {
  await db
    .insert(matrixState)
    .values({ key, value })
    .onConflictDoUpdate({ target: matrixState.key, set: { value: sql`excluded.value` } });
}
