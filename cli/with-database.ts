import { connect, type Db } from '../shared/db/client.ts';
import { migrateDatabase } from '../shared/db/migrate.ts';
import type { CommandDeps } from './command-deps.ts';
import { reasonOf } from './reason.ts';
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
  const { db, close } = connect(settings.config.DATABASE_URL, {
    name: 'oikos-cli',
    maxConnections: 1,
  });
  try {
    await migrateDatabase(settings.config.DATABASE_URL);
    await work(db);
  } catch (error) {
    terminal.complain(`✗ ${reasonOf(error)}`);
    process.exitCode = 1;
  } finally {
    await close();
  }
}
