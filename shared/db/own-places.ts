import type { Db, Tx } from './client.ts';
import { readNow } from './clock.ts';
import { ownPlaces } from './schema.ts';

/** A process says at its start which folders it lives in: they count as Oikos's own. */
export async function registerOwnFolders(
  db: Db,
  process: string,
  folders: readonly string[],
): Promise<void> {
  const row = { folders: [...folders], seenAt: await readNow(db) };
  await db
    .insert(ownPlaces)
    .values({ process, ...row })
    .onConflictDoUpdate({ target: ownPlaces.process, set: row });
}

/** The folders of all processes that ever started here, sorted. */
export async function readOwnFolders(db: Db | Tx): Promise<string[]> {
  const rows = await db.select().from(ownPlaces);
  return [...new Set(rows.flatMap(({ folders }) => folders))].toSorted();
}
