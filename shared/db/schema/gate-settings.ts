import { jsonb, pgTable, text } from 'drizzle-orm/pg-core';
import { SETTING_KEYS } from '../../domain/gate-setting.ts';
import { moment, oneOf } from './columns.ts';

/** What the operator told the gate, one row a key; only the command line writes here. */
export const gateSettings = pgTable(
  'gate_settings',
  {
    key: text('key', { enum: SETTING_KEYS }).primaryKey(),
    value: jsonb('value').$type<unknown>().notNull(),
    updatedAt: moment('updated_at').notNull(),
    updatedBy: text('updated_by').notNull(),
    seal: text('seal'),
  },
  () => [oneOf('gate_settings__key', SETTING_KEYS)],
);

/** Folders that Oikos's own processes live in, as each of them says at its start. */
export const ownPlaces = pgTable('own_places', {
  /** `bot` or `daemon:<name>`. */
  process: text('process').primaryKey(),
  folders: jsonb('folders').$type<string[]>().notNull(),
  seenAt: moment('seen_at').notNull(),
});
