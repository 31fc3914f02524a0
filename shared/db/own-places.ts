import type { OwnPlace } from '../own-place.ts';
import type { Db, Tx } from './client.ts';
import { readNow } from './clock.ts';
import { ownPlaces } from './schema.ts';

/** A process says at its start where it lives: its folders count as Oikos's own. */
export async function registerOwnPlace(db: Db, process: string, place: OwnPlace): Promise<void> {
  const row = {
    folders: [...place.folders],
    hostname: place.hostname,
    addresses: [...place.addresses],
    seenAt: await readNow(db),
  };
  await db
    .insert(ownPlaces)
    .values({ process, ...row })
    .onConflictDoUpdate({ target: ownPlaces.process, set: row });
}

/** The places of all processes that ever started here, by name. */
export async function readOwnPlaces(db: Db | Tx): Promise<OwnPlace[]> {
  return db.select().from(ownPlaces).orderBy(ownPlaces.process);
}
