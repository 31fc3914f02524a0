import { randomUUID } from 'node:crypto';
import { Client } from 'pg';
import { inject, onTestFinished } from 'vitest';
import { TEMPLATE_DATABASE, withDatabaseName } from './database-url.ts';
import type {} from './services.ts';

export interface FreshDatabase {
  url: string;
  /** Drops it. Called by itself when the test ends; earlier calls are fine. */
  close: () => Promise<void>;
}

/** A private copy of the migrated template, dropped when the calling test ends. */
export async function freshDatabase(): Promise<FreshDatabase> {
  const adminUrl = inject('adminUrl');
  const name = `t_${randomUUID().replaceAll('-', '')}`;
  await asAdmin(adminUrl, `create database ${name} template ${TEMPLATE_DATABASE}`);
  // `force` ends connections that a failed test left open.
  const close = () => asAdmin(adminUrl, `drop database if exists ${name} with (force)`);
  onTestFinished(close);
  return { url: withDatabaseName(adminUrl, name), close };
}

async function asAdmin(url: string, statement: string): Promise<void> {
  const client = new Client(url);
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
