import { eq } from 'drizzle-orm';
import { audit } from './audit.ts';
import type { Db, Tx } from './client.ts';
import { readNow } from './clock.ts';
import { locks } from './schema.ts';

/** Whether this person decides nothing, whatever the settings say. */
export async function isLocked(db: Db | Tx, person: string): Promise<boolean> {
  const rows = await db.select().from(locks).where(eq(locks.person, person));
  return rows.length > 0;
}

/** Answers false when the person was locked already. */
export async function lockPerson(
  tx: Tx,
  person: string,
  { by, now, eventId }: { by: string; now: Date; eventId?: string | undefined },
): Promise<boolean> {
  const locked = await tx
    .insert(locks)
    .values({ person, lockedBy: by, lockedAt: now })
    .onConflictDoNothing()
    .returning({ person: locks.person });
  if (locked.length === 0) return false;
  const data = { person };
  await audit(tx, { at: now, kind: 'person.locked', actor: by, eventId: eventId ?? null, data });
  return true;
}

/** Only the terminal may do this; answers false when the person was not locked. */
export function unlockPerson(db: Db, person: string, by: string): Promise<boolean> {
  return db.transaction(async (tx) => {
    const gone = await tx.delete(locks).where(eq(locks.person, person)).returning();
    if (gone.length === 0) return false;
    await audit(tx, {
      at: await readNow(tx),
      kind: 'person.unlocked',
      actor: by,
      data: { person },
    });
    return true;
  });
}
