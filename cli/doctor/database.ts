import { readFileSync } from 'node:fs';
import { Client } from 'pg';
import { z } from 'zod';
import { type Check, fails, ok } from '../check.ts';
import { parseJson } from '../parse-json.ts';
import { errorCode, reasonOf } from '../reason.ts';
import { type Env, readSettings } from '../settings.ts';
import { placeOf } from './place.ts';

/** What the database says of itself, in Postgres's own words. */
export interface DatabaseState {
  readonly version: string;
  readonly encoding: string;
  /** When the newest migration that it has was written, as drizzle counts; 0: it has none. */
  readonly migratedTo: number;
  /** Whether our user may create schemas and tables, as a first start must. */
  readonly mayCreate: boolean;
}

/** Whether Postgres can be used, and whether the schema is there or can be made. */
export async function checkDatabase(env: Env): Promise<readonly Check[]> {
  const settings = readSettings(env, ['DATABASE_URL']);
  if (!settings.ok) return settings.problems.map((problem) => fails(problem));
  const { DATABASE_URL: url } = settings.config;
  const place = placeOf(url);
  const client = new Client({
    connectionString: url,
    application_name: 'oikos-doctor',
    connectionTimeoutMillis: 5_000,
    query_timeout: 5_000,
  });
  // A connection that breaks later rejects the query as well.
  client.on('error', () => undefined);
  try {
    await client.connect();
    return databaseChecks(place, await readState(client), knownMigrations());
  } catch (error) {
    const todo = REMEDY[errorCode(error) ?? ''] ?? 'start Postgres, or correct DATABASE_URL';
    return [fails(`the database at ${place} cannot be used (${reasonOf(error)})`, todo)];
  } finally {
    await client.end();
  }
}

/** By SQLSTATE. */
const REMEDY: Readonly<Record<string, string>> = {
  '28P01': 'the password in DATABASE_URL is wrong',
  '28000': 'pg_hba.conf does not let this user in from here',
  '3D000': "make it: create database oikos owner oikos encoding 'UTF8'",
  '42501': 'give this user the rights of an owner',
};

const stateRow = z.object({
  version: z.string(),
  encoding: z.string(),
  may_create: z.boolean(),
  has_migrations: z.boolean(),
});

async function readState(client: Client): Promise<DatabaseState> {
  const { rows } = await client.query(`
    select current_setting('server_version') as version,
           current_setting('server_encoding') as encoding,
           has_database_privilege(current_database(), 'create')
             and has_schema_privilege('public', 'create') as may_create,
           to_regclass('drizzle.__drizzle_migrations') is not null as has_migrations`);
  const { version, encoding, may_create, has_migrations } = stateRow.parse(rows[0]);
  const state = { version, encoding, mayCreate: may_create };
  if (!has_migrations) return { ...state, migratedTo: 0 };
  const newest = await client.query(
    'select coalesce(max(created_at), 0)::float8 as at from drizzle.__drizzle_migrations',
  );
  return { ...state, migratedTo: z.object({ at: z.number() }).parse(newest.rows[0]).at };
}

const journal = z.object({ entries: z.array(z.object({ when: z.number() })) });

function knownMigrations(): readonly number[] {
  const file = new URL('../../drizzle/meta/_journal.json', import.meta.url);
  return journal.parse(parseJson(readFileSync(file, 'utf8'))).entries.map(({ when }) => when);
}

/** @param known when each migration of this checkout was written, oldest first. */
export function databaseChecks(
  place: string,
  { version, encoding, migratedTo, mayCreate }: DatabaseState,
  known: readonly number[],
): readonly Check[] {
  const encodingCheck =
    encoding === 'UTF8'
      ? []
      : [fails(`the database stores ${encoding}, not UTF8`, "create it anew with encoding 'UTF8'")];
  return [ok(`database: Postgres ${version} at ${place}`), ...encodingCheck, schemaCheck()];

  function schemaCheck(): Check {
    const missing = known.filter((when) => when > migratedTo).length;
    if (migratedTo > (known.at(-1) ?? 0)) {
      return fails('the schema is newer than this version of Oikos', 'update Oikos: git pull');
    }
    if (missing === 0) return ok('the schema is up to date');
    return mayCreate
      ? ok(`${missing} migrations are to be applied; the next start does it`)
      : fails(
          `${missing} migrations are missing and this user may not create tables`,
          'make it the owner: alter database … owner to …; alter schema public owner to …',
        );
  }
}
