import { chmod, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { drizzle } from 'drizzle-orm/node-postgres';
import { migrate } from 'drizzle-orm/node-postgres/migrator';
import { Client } from 'pg';
import type { TestProject } from 'vitest/node';
import { startPostgres } from '../../lab/services/postgres.ts';
import { ensurePython } from '../../lab/services/python.ts';
import { startSynapse } from '../../lab/services/synapse.ts';
import { startValkey } from '../../lab/services/valkey.ts';
import { TEMPLATE_DATABASE, withDatabaseName } from './database-url.ts';

export interface ProvidedSynapse {
  url: string;
  serverName: string;
  /** Registration secret. */
  secret: string;
}

declare module 'vitest' {
  export interface ProvidedContext {
    adminUrl: string;
    redisUrl: string;
    /** Only for the e2e project. */
    synapse: ProvidedSynapse | null;
  }
}

/** Throwaway servers for one test run: Postgres with a migrated template database, Valkey, Synapse. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  await using stack = new AsyncDisposableStack();
  const dir = await mkdtemp(join(tmpdir(), 'oikos-test-'));
  stack.defer(() => rm(dir, { recursive: true, force: true }));
  // Under root Postgres runs as somebody else, who must be able to walk through.
  await chmod(dir, 0o711);
  const root = project.config.root;
  const world = await ensurePython({ root, say: (line) => console.log(line) });

  const postgres = await startPostgres({ dir: join(dir, 'postgres'), keep: 'throwaway' });
  stack.defer(postgres.stop);
  await createTemplate(postgres.url, join(root, 'drizzle'));
  project.provide('adminUrl', postgres.url);

  const { valkeyServer, python } = world;
  const valkey = await startValkey({ dir: join(dir, 'valkey'), valkeyServer, persist: false });
  stack.defer(valkey.stop);
  project.provide('redisUrl', valkey.url);

  let synapse: ProvidedSynapse | null = null;
  if (project.name === 'e2e') {
    const server = await startSynapse({ dir: join(dir, 'synapse'), python });
    stack.defer(server.stop);
    synapse = { url: server.url, serverName: server.serverName, secret: server.secret };
  }
  project.provide('synapse', synapse);

  // Reached only when everything above worked; otherwise `stack` stops what was started.
  const running = stack.move();
  return () => running.disposeAsync();
}

async function createTemplate(adminUrl: string, migrationsFolder: string): Promise<void> {
  const admin = new Client(adminUrl);
  await admin.connect();
  try {
    await admin.query(`create database ${TEMPLATE_DATABASE}`);
  } finally {
    await admin.end();
  }
  if (!(await hasMigrations(migrationsFolder))) return;
  const template = new Client(withDatabaseName(adminUrl, TEMPLATE_DATABASE));
  await template.connect();
  try {
    await migrate(drizzle(template), { migrationsFolder });
  } finally {
    await template.end();
  }
}

async function hasMigrations(folder: string): Promise<boolean> {
  const names = await readdir(folder).catch(() => []);
  return names.some((name) => name.endsWith('.sql'));
}
