import { fileURLToPath } from 'node:url';
import { drizzle } from 'drizzle-orm/node-postgres';
import { migrate } from 'drizzle-orm/node-postgres/migrator';
import { Client } from 'pg';

const FOLDER = fileURLToPath(new URL('../../drizzle', import.meta.url));

/** Brings the schema up to date; bot and daemon may start at once, one of them does it. */
export async function migrateDatabase(url: string): Promise<void> {
  const client = new Client({ connectionString: url, application_name: 'oikos-migrate' });
  await client.connect();
  try {
    await client.query("select pg_advisory_lock(hashtextextended('oikos-migrate', 0))");
    await client.query('set client_min_messages to warning');
    await migrate(drizzle(client), { migrationsFolder: FOLDER });
  } finally {
    await client.end();
  }
}
