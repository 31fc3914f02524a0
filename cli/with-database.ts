import { connect, type Db } from '../shared/db/client.ts';
import { migrateDatabase } from '../shared/db/migrate.ts';
import type { CommandDeps } from './command-deps.ts';
import { placeOf } from './doctor/place.ts';
import { errorCode, reasonOf } from './reason.ts';
import { readSettings } from './settings.ts';

/** Who acts at the terminal, in the ledger. */
export const AT_TERMINAL = 'terminal';

/** Does `work` on the database of DATABASE_URL, which gets its tables first where it has none; trouble is said, and the exit code is 1. */
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
  const { db, close } = connect(url, {
    name: 'oikos-cli',
    maxConnections: 1,
  });
  try {
    await migrateDatabase(settings.config.DATABASE_URL);
    await work(db);
  } catch (error) {
    terminal.complain(`✗ ${troubleText(error, placeOf(url))}`);
    process.exitCode = 1;
  } finally {
    await close();
  }
}

/** SQLSTATE of a table that is not there. */
const NO_TABLE = '42P01';

/** What has a code comes from the database or the way to it; anything else speaks for itself. */
function troubleText(error: unknown, place: string): string {
  const code = errorCode(error);
  if (code === undefined) return reasonOf(error);
  if (code === NO_TABLE) {
    return `the database at ${place} has no tables of this version yet: start Oikos once, npm start`;
  }
  return `the database at ${place} cannot be used (${reasonOf(error)}): oikos doctor says what to do`;
}
