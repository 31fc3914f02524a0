import { jsonb, pgTable, text } from 'drizzle-orm/pg-core';
import { TARGET_KINDS } from '../../domain/target.ts';
import { id, moment, oneOf } from './columns.ts';

/** Hosts and guests as the daemon upserts them from fleet.yaml; the bot knows targets only from here. */
export const entities = pgTable(
  'entities',
  {
    id: id(),
    type: text('type').notNull(),
    slug: text('slug').notNull().unique(),
    name: text('name').notNull(),
    state: text('state').notNull().default('active'),
    attributes: jsonb('attributes')
      .$type<{
        host?: string;
        vmid?: number;
        site?: string;
        shell?: 'bash' | 'posix';
        floor?: string | null;
        guestWritable?: string[];
        looksOwn?: boolean;
        /** Containers: as `pct config` named it when it was last read. */
        rootVolume?: string;
        /** Hosts: the pinned fingerprint of fleet.yaml; null: none is pinned. */
        hostKey?: string | null;
      }>()
      .notNull()
      .default({}),
    /** The daemon's, over what and where it is; without it nothing runs there. */
    seal: text('seal'),
    updatedAt: moment('updated_at').notNull(),
  },
  () => [oneOf('entities__type', [...TARGET_KINDS, 'task', 'agent'])],
);
