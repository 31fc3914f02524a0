import { eq, inArray } from 'drizzle-orm';
import type { Tx } from './client.ts';
import {
  agentSessions,
  executionOutput,
  executions,
  messages,
  outbox,
  turns,
  windows,
} from './schema.ts';

/**
 * Removes what was said and printed in a task. Executions, approvals, decisions and the ledger stay:
 * what ran on a machine, and who wanted it, is not forgotten.
 */
export async function forgetTask(tx: Tx, taskId: string): Promise<void> {
  const own = tx
    .select({ id: executions.id })
    .from(executions)
    .where(eq(executions.taskId, taskId));
  await tx.delete(executionOutput).where(inArray(executionOutput.executionId, own));
  await tx.delete(messages).where(eq(messages.taskId, taskId));
  await tx.delete(outbox).where(eq(outbox.taskId, taskId));
  await tx.delete(windows).where(eq(windows.taskId, taskId));
  await tx.delete(turns).where(eq(turns.taskId, taskId));
  await tx.delete(agentSessions).where(eq(agentSessions.id, taskId));
}
