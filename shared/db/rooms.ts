import { and, desc, eq, inArray, isNotNull, isNull, ne, sql } from 'drizzle-orm';
import type { Sealer } from '../seal.ts';
import { listingContent } from '../sealed.ts';
import { audit } from './audit.ts';
import type { Db, Tx } from './client.ts';
import { readNow } from './clock.ts';
import { auditEvents, rooms } from './schema.ts';

export type RoomRow = typeof rooms.$inferSelect;

export async function roomById(db: Db | Tx, roomId: string): Promise<RoomRow | undefined> {
  const [row] = await db.select().from(rooms).where(eq(rooms.roomId, roomId));
  return row;
}

/** Rooms on the operators' list: only there do decisions count. */
export async function listedRooms(db: Db | Tx, seals: Sealer): Promise<RoomRow[]> {
  return (await markedRooms(db, seals)).filter(({ genuine }) => genuine).map(({ row }) => row);
}

/** Rooms whose row says that they are listed, and which no `oikos room add` put there. */
export async function forgedRooms(db: Db | Tx, seals: Sealer): Promise<RoomRow[]> {
  return (await markedRooms(db, seals)).filter(({ genuine }) => !genuine).map(({ row }) => row);
}

async function markedRooms(db: Db | Tx, seals: Sealer) {
  const rows = await db
    .select()
    .from(rooms)
    .where(isNotNull(rooms.listedAt))
    .orderBy(rooms.listedAt);
  const marked: { readonly row: RoomRow; readonly genuine: boolean }[] = [];
  // One after the other: a transaction asks one thing at a time.
  for (const row of rows) marked.push({ row, genuine: await isAsListed(db, row, seals) });
  return marked;
}

/** Why decisions do not count in a room, in words that follow a comma; undefined where they do. */
export async function whyUndecided(
  db: Db | Tx,
  roomId: string,
  seals: Sealer,
): Promise<string | undefined> {
  const room = await roomById(db, roomId);
  if (!room || !(await isAsListed(db, room, seals))) {
    return "this room is not on the operators' list";
  }
  return room.bridged ? 'somebody in this room comes over a bridge' : undefined;
}

export async function isListed(db: Db | Tx, roomId: string, seals: Sealer): Promise<boolean> {
  const row = await roomById(db, roomId);
  return row !== undefined && isAsListed(db, row, seals);
}

/** Sealed, and the last that the ledger tells of the room: an older listing put back is none. */
async function isAsListed(db: Db | Tx, row: RoomRow, seals: Sealer): Promise<boolean> {
  if (row.listedAt === null || !seals.fits('room', listingContent(row), row.seal)) return false;
  const last = await lastTold(db, row.roomId);
  return last?.kind === 'room.listed' && last.at.getTime() === row.listedAt.getTime();
}

async function lastTold(db: Db | Tx, roomId: string) {
  const [last] = await db
    .select({ kind: auditEvents.kind, at: auditEvents.at })
    .from(auditEvents)
    .where(
      and(
        inArray(auditEvents.kind, ['room.listed', 'room.unlisted']),
        sql`${auditEvents.data} ->> 'roomId' = ${roomId}`,
      ),
    )
    .orderBy(desc(auditEvents.seq))
    .limit(1);
  return last;
}

/** Puts a room on the list; answers false when it was there. */
export function listRoom(db: Db, seals: Sealer, roomId: string, by: string): Promise<boolean> {
  return change(db, roomId, by, 'room.listed', async (tx, now) => {
    if (await isListed(tx, roomId, seals)) return [];
    const listing = { listedAt: now, listedBy: by };
    const seal = seals.seal('room', listingContent({ roomId, ...listing }));
    const row = { ...listing, seal };
    return tx
      .insert(rooms)
      .values({ roomId, ...row })
      .onConflictDoUpdate({ target: rooms.roomId, set: { ...row, warnedAt: null } })
      .returning({ id: rooms.roomId });
  });
}

/** Takes a room off the list; answers false when it was not on it, by its row and by the ledger. */
export function unlistRoom(db: Db, roomId: string, by: string): Promise<boolean> {
  return change(db, roomId, by, 'room.unlisted', async (tx) => {
    const gone = await tx
      .update(rooms)
      .set({ listedAt: null, listedBy: null, seal: null })
      .where(and(eq(rooms.roomId, roomId), isNotNull(rooms.listedAt)))
      .returning({ id: rooms.roomId });
    // A row that somebody else emptied can be put back: only the ledger keeps it off for good.
    return gone.length > 0 || (await lastTold(tx, roomId))?.kind !== 'room.listed'
      ? gone
      : [roomId];
  });
}

/** Makes every word of a room one for us, or only those that address us; false when it was so. */
export function setOps(db: Db, roomId: string, ops: boolean, by: string): Promise<boolean> {
  return change(db, roomId, by, ops ? 'room.ops' : 'room.no_ops', async (tx) =>
    tx
      .insert(rooms)
      .values({ roomId, ops })
      .onConflictDoUpdate({ target: rooms.roomId, set: { ops }, setWhere: ne(rooms.ops, ops) })
      .returning({ id: rooms.roomId }),
  );
}

/** Who was found in a room: the others, counted, and whether one of them comes over a bridge. */
export interface Company {
  readonly people: number;
  readonly bridged: boolean;
}

export async function setCompany(tx: Db | Tx, roomId: string, found: Company): Promise<void> {
  await tx
    .insert(rooms)
    .values({ roomId, ...found })
    .onConflictDoUpdate({ target: rooms.roomId, set: { ...found } });
}

/** The people of every room are counted anew: somebody may have come or gone unseen. */
export async function forgetCompany(db: Db): Promise<void> {
  await db.update(rooms).set({ people: null });
}

/** No turn begins in the room from now on; answers false when it was paused already. */
export function pauseRoom(db: Db, roomId: string, by: string): Promise<boolean> {
  return change(db, roomId, by, 'room.paused', async (tx, now) =>
    tx
      .insert(rooms)
      .values({ roomId, pausedAt: now, pausedBy: by })
      .onConflictDoUpdate({
        target: rooms.roomId,
        set: { pausedAt: now, pausedBy: by },
        setWhere: isNull(rooms.pausedAt),
      })
      .returning({ id: rooms.roomId }),
  );
}

/** Lets the agent go on with what was said meanwhile; answers false when the room was not paused. */
export function resumeRoom(db: Db, roomId: string, by: string): Promise<boolean> {
  return change(db, roomId, by, 'room.resumed', async (tx) => {
    const resumed = await tx
      .update(rooms)
      .set({ pausedAt: null, pausedBy: null })
      .where(and(eq(rooms.roomId, roomId), isNotNull(rooms.pausedAt)))
      .returning({ id: rooms.roomId });
    await tx.execute(sql`select pg_notify('oikos_turn', '')`);
    return resumed;
  });
}

/** Remembers that the room was told it is not on the list; true for the first to do so. */
export async function markWarned(tx: Tx, roomId: string, now: Date): Promise<boolean> {
  const warned = await tx
    .insert(rooms)
    .values({ roomId, warnedAt: now })
    .onConflictDoUpdate({
      target: rooms.roomId,
      set: { warnedAt: now },
      setWhere: isNull(rooms.warnedAt),
    })
    .returning({ id: rooms.roomId });
  return warned.length > 0;
}

function change(
  db: Db,
  roomId: string,
  by: string,
  kind: string,
  act: (tx: Tx, now: Date) => Promise<readonly unknown[]>,
): Promise<boolean> {
  return db.transaction(async (tx) => {
    const now = await readNow(tx);
    const changed = await act(tx, now);
    if (changed.length === 0) return false;
    await audit(tx, { at: now, kind, actor: by, data: { roomId } });
    return true;
  });
}
