/** Migrated once per test run; every test's own database is a copy of it. */
export const TEMPLATE_DATABASE = 'oikos_template';

/** The same server's address with another database. */
export function withDatabaseName(url: string, database: string): string {
  const address = new URL(url);
  address.pathname = `/${database}`;
  return address.href;
}
