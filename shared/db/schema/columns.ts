import { sql } from 'drizzle-orm';
import { check, timestamp, uuid } from 'drizzle-orm/pg-core';

/** Text with a CHECK built from one const array: adding a value is a plain migration, an SQL enum's is not. */
export function oneOf(name: string, values: readonly string[]) {
  const list = values.map((value) => `'${value}'`).join(', ');
  return check(name, sql.raw(`${name.replace(/^[a-z_]+__/, '')} in (${list})`));
}

export const id = () => uuid('id').primaryKey().defaultRandom();
export const moment = (name: string) => timestamp(name, { withTimezone: true, precision: 3 });
