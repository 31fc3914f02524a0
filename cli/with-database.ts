import { connect, type Db } from '../shared/db/client.ts';
import { migrateDatabase } from '../shared/db/migrate.ts';
import type { CommandDeps } from './command-deps.ts';
import { placeOf } from './doctor/place.ts';
import { errorCode, reasonOf } from './reason.ts';
import { readSettings } from './settings.ts';

/**
 * Does `work` on the database of DATABASE_URL, which gets its tables first where it has none; trouble
 * is said, and the exit code is 1.
 */
export async function withDatabase(
  { env, terminal }: CommandDeps,
  work: (db: Db) => Promise<void>,
): Promise<void> {
  const settings = readSettings(env, ['DATABASE_URL']);
  if (!settings.ok) {
    for (const problem of settings.problems) terminal.complain(`✗ ${problem}`);
    process.exitCode = 1;
    return;
  }
  const { DATABASE_URL: url } = settings.config;
  const { db, close } = connect(url, { name: 'oikos-cli', maxConnections: 1 });
  try {
    await migrateDatabase(url);
    await work(db);
  } catch (error) {
    terminal.complain(`✗ ${databaseTrouble(error, placeOf(url))}`);
    process.exitCode = 1;
  } finally {
    await close();
  }
}

/** What has a code comes from the database or the way to it; anything else speaks for itself. */
export function databaseTrouble(error: unknown, place: string): string {
  if (errorCode(error) === undefined) return reasonOf(error);
  return `the database at ${place} cannot be used (${reasonOf(error)}): oikos doctor says what to do`;
}
