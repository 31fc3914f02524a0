import { and, desc, eq, sql } from 'drizzle-orm';
import type { Sealer } from '../seal.ts';
import { unlockingContent } from '../sealed.ts';
import { audit } from './audit.ts';
import type { Db, Tx } from './client.ts';
import { readNow } from './clock.ts';
import { auditEvents, locks } from './schema.ts';

/**
 * Whether this person decides nothing, whatever the settings say. A lock holds by its row and by the
 * ledger: taking the row away unlocks nobody, only an unlocking that we sealed does.
 */
export async function isLocked(db: Db | Tx, person: string, seals: Sealer): Promise<boolean> {
  const rows = await db.select().from(locks).where(eq(locks.person, person));
  return rows.length > 0 || (await lockInLedger(db, person, seals)) !== undefined;
}

/** The place of the lock that the ledger tells of and nobody has ended; undefined: none. */
async function lockInLedger(
  db: Db | Tx,
  person: string,
  seals: Sealer,
): Promise<number | undefined> {
  const lockSeq = await lastLock(db, person);
  if (lockSeq === undefined) return undefined;
  const ends = await db
    .select({ data: auditEvents.data })
    .from(auditEvents)
    .where(told('person.unlocked', person));
  const content = unlockingContent({ person, lockSeq });
  const ended = ends.some(({ data }) => {
    const { seal } = data;
    return typeof seal === 'string' && seals.fits('unlocking', content, seal);
  });
  return ended ? undefined : lockSeq;
}

async function lastLock(db: Db | Tx, person: string): Promise<number | undefined> {
  const [lock] = await db
    .select({ seq: auditEvents.seq })
    .from(auditEvents)
    .where(told('person.locked', person))
    .orderBy(desc(auditEvents.seq))
    .limit(1);
  return lock?.seq;
}

function told(kind: 'person.locked' | 'person.unlocked', person: string) {
  return and(eq(auditEvents.kind, kind), sql`${auditEvents.data} ->> 'person' = ${person}`);
}

/** People whose lock was taken out of the database; it holds all the same. */
export async function lostLocks(db: Db | Tx, seals: Sealer): Promise<string[]> {
  const person = sql<string>`${auditEvents.data} ->> 'person'`;
  const everLocked = await db
    .selectDistinct({ person })
    .from(auditEvents)
    .where(eq(auditEvents.kind, 'person.locked'));
  const there = new Set((await db.select().from(locks)).map((row) => row.person));
  const lost: string[] = [];
  for (const one of everLocked) {
    if (there.has(one.person)) continue;
    if ((await lockInLedger(db, one.person, seals)) !== undefined) lost.push(one.person);
  }
  return lost;
}

/** Answers false when the person was locked already, by the ledger: a row alone can be taken away. */
export async function lockPerson(
  tx: Tx,
  seals: Sealer,
  person: string,
  { by, now, eventId }: { by: string; now: Date; eventId?: string | undefined },
): Promise<boolean> {
  await tx.insert(locks).values({ person, lockedBy: by, lockedAt: now }).onConflictDoNothing();
  if ((await lockInLedger(tx, person, seals)) !== undefined) return false;
  const data = { person };
  await audit(tx, { at: now, kind: 'person.locked', actor: by, eventId: eventId ?? null, data });
  return true;
}

/** Only the terminal may do this; answers false when the person was not locked. */
export function unlockPerson(db: Db, seals: Sealer, person: string, by: string): Promise<boolean> {
  return db.transaction(async (tx) => {
    const gone = await tx.delete(locks).where(eq(locks.person, person)).returning();
    const lockSeq = await lockInLedger(tx, person, seals);
    if (gone.length === 0 && lockSeq === undefined) return false;
    const seal =
      lockSeq === undefined
        ? {}
        : { seal: seals.seal('unlocking', unlockingContent({ person, lockSeq })) };
    await audit(tx, {
      at: await readNow(tx),
      kind: 'person.unlocked',
      actor: by,
      data: { person, ...seal },
    });
    return true;
  });
}
