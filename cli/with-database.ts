import { connect, type Db } from '../shared/db/client.ts';
import { migrateDatabase } from '../shared/db/migrate.ts';
import type { CommandDeps } from './command-deps.ts';
import { readSettings } from './settings.ts';

/** Who acts at the terminal, in the ledger. */
export const AT_TERMINAL = 'terminal';

/** Acts on the database that the settings name, which gets its tables first where it has none. */
export async function withDatabase(
  { terminal, env }: CommandDeps,
  act: (db: Db) => Promise<boolean>,
): Promise<void> {
  const settings = readSettings(env, ['DATABASE_URL']);
  if (!settings.ok) {
    for (const problem of settings.problems) terminal.complain(problem);
    process.exitCode = 1;
    return;
  }
  const { DATABASE_URL: url } = settings.config;
  await migrateDatabase(url);
  const { db, close } = connect(url, { maxConnections: 2 });
  try {
    if (!(await act(db))) process.exitCode = 1;
  } finally {
    await close();
  }
}
