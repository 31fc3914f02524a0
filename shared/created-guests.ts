import { and, asc, eq } from 'drizzle-orm';
import type { Tx } from './db/client.ts';
import { executions } from './db/schema.ts';
import { createdGuests } from './domain/access-exemption.ts';
import type { GateResult } from './domain/gate-result.ts';
import { simpleArgv } from './gate/argv.ts';

/**
 * The containers that a task created, as `lxc/140@host:lab`. Asked only for what is flagged `access`:
 * nothing else depends on it.
 */
export async function createdByTask(
  tx: Tx,
  taskId: string,
  gate: GateResult,
): Promise<readonly string[]> {
  if (!gate.flags.includes('access')) return [];
  const rows = await tx
    .select({
      host: executions.hostSlug,
      targetKind: executions.targetKind,
      command: executions.command,
      dialect: executions.dialect,
    })
    .from(executions)
    .where(and(eq(executions.taskId, taskId), eq(executions.status, 'completed')))
    .orderBy(asc(executions.endedAt));
  return createdGuests(
    rows.map(({ command, dialect, ...place }) => ({
      ...place,
      argv: simpleArgv(command, dialect),
    })),
  );
}
