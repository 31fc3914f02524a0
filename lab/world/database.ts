import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from 'pg';
import { unprivilegedOwner } from '../services/owner.ts';
import { startPostgres } from '../services/postgres.ts';
import { placeFor } from '../services/postgres-place.ts';

/** The demo's own Postgres, with the database "oikos" on it. */
export async function startDatabase(dir: string): Promise<{ url: string; stop(): Promise<void> }> {
  const postgres = await startPostgres({
    dir: join(dir, 'postgres'),
    keep: 'durable',
    ownGroup: true,
  });
  try {
    return { url: await ownDatabase(postgres.url), stop: postgres.stop };
  } catch (error) {
    await postgres.stop();
    throw error;
  }
}

/** Removes all data of a folder whose demo is not running; the Python environment stays. */
export async function forgetWorld(dir: string): Promise<void> {
  // Under root the data of Postgres may lie elsewhere.
  const postgres = await placeFor(join(dir, 'postgres'), unprivilegedOwner());
  const kept = ['secrets.json', 'connection.json', 'valkey', 'synapse', 'lab', 'seal', 'postgres'];
  for (const path of [postgres, ...kept.map((name) => join(dir, name))]) {
    await rm(path, { recursive: true, force: true });
  }
}

async function ownDatabase(adminUrl: string): Promise<string> {
  const client = new Client({ connectionString: adminUrl });
  await client.connect();
  try {
    const { rowCount } = await client.query("select 1 from pg_database where datname = 'oikos'");
    if (rowCount === 0) await client.query('create database oikos');
  } finally {
    await client.end();
  }
  return adminUrl.replace(/\/postgres$/, '/oikos');
}
