import { storableValue } from '../storable.ts';
import type { Tx } from './client.ts';
import { outbox } from './schema.ts';

export type OutboxRow = typeof outbox.$inferSelect;

/** Queues something that must be told, inside the transaction of the change itself (K8). */
export async function announce(tx: Tx, row: typeof outbox.$inferInsert): Promise<void> {
  await tx.insert(outbox).values(storableValue(row));
}
