import { drizzle, type NodePgDatabase } from 'drizzle-orm/node-postgres';
import { Pool } from 'pg';
import * as schema from './schema.ts';

export type Db = NodePgDatabase<typeof schema>;
/** A transaction offers the same queries as the database itself. */
export type Tx = Parameters<Parameters<Db['transaction']>[0]>[0];

export interface Connected {
  readonly db: Db;
  close(): Promise<void>;
}

/** Opens a pool; nothing is contacted before the first query. `onError` hears of idle connections that broke. */
export function connect(
  url: string,
  options: { maxConnections?: number; name?: string; onError?: (error: Error) => void } = {},
): Connected {
  const pool = new Pool({
    connectionString: url,
    max: options.maxConnections ?? 10,
    application_name: options.name ?? 'oikos',
    connectionTimeoutMillis: 10_000,
    keepAlive: true,
  });
  const onError = (error: Error) => options.onError?.(error);
  pool.on('error', onError);
  // The pool listens only while a connection is idle: one that breaks within a transaction would end the process.
  pool.on('connect', (client) => client.on('error', onError));
  return { db: withReleases(drizzle(pool, { schema }), pool), close: () => pool.end() };
}

/**
 * Transactions that give their connection back however they end. drizzle keeps it for ever when
 * `begin` itself fails, so that each outage would leave the pool one connection smaller.
 */
function withReleases(db: NodePgDatabase<typeof schema>, pool: Pool): Db {
  db.transaction = async (work, config) => {
    const client = await pool.connect();
    try {
      return await drizzle(client, { schema }).transaction(work, config);
    } finally {
      client.release();
    }
  };
  return db;
}
