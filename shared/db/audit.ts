import { storableValue } from '../storable.ts';
import type { Tx } from './client.ts';
import { auditEvents } from './schema.ts';

export type AuditEvent = typeof auditEvents.$inferInsert;

/** Appends to the ledger, inside the transaction of the change that it records. */
export async function audit(tx: Tx, event: AuditEvent): Promise<void> {
  await tx.insert(auditEvents).values(storableValue(event));
}
