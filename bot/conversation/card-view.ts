import { eq } from 'drizzle-orm';
import { approvalOfExecution, type DecisionRow, decisionOf } from '../../shared/db/approvals.ts';
import type { Db } from '../../shared/db/client.ts';
import type { ExecutionRow } from '../../shared/db/executions.ts';
import { readOutput } from '../../shared/db/output.ts';
import { windows } from '../../shared/db/schema.ts';
import { targetOf } from '../../shared/db/windows.ts';
import { describeTarget } from '../../shared/domain/target.ts';
import { explain } from '../../shared/gate/explain.ts';
import type { CardView } from '../cards/card.ts';

const TAIL_BYTES = 8 * 1024;

/** Everything that a card shows, read from the rows as they are now: cards never keep state. */
export async function cardView(db: Db, execution: ExecutionRow): Promise<CardView> {
  const approval = await approvalOfExecution(db, execution.id);
  const decision = approval ? await decisionOf(db, approval.id) : undefined;
  const output = execution.startedAt ? await readOutput(db, execution.id, TAIL_BYTES) : undefined;
  const { phraseVerb: verb, phraseObject: object } = approval ?? {};
  const under = await windowOf(db, execution);
  return {
    number: execution.number ?? 0,
    status: execution.status,
    risk: execution.risk,
    flags: execution.gate.flags,
    reasons: explain(execution.gate),
    slug: execution.targetSlug,
    target: describeTarget(targetOf(execution)),
    command: execution.command,
    purpose: execution.purpose,
    phrase: verb && object ? { verb, object } : null,
    expiresAt: approval?.expiresAt ?? null,
    requestedBy: execution.requestedBy,
    exitCode: execution.exitCode,
    startedAt: execution.startedAt,
    endedAt: execution.endedAt,
    ...(execution.provenance !== null && { provenance: execution.provenance }),
    ...(decision && { decision: decisionView(decision) }),
    ...(execution.reason !== null && { outcome: execution.reason }),
    ...(output && { tail: output.both, outputCut: output.cut || execution.outputCut }),
    ...(under && { underWindow: under }),
  };
}

function decisionView(decision: DecisionRow): NonNullable<CardView['decision']> {
  return {
    by: decision.by,
    how: decision.how,
    granted: decision.decision === 'granted',
    at: decision.at,
  };
}

async function windowOf(db: Db, execution: ExecutionRow) {
  const { authorization } = execution;
  if (authorization?.kind !== 'window') return undefined;
  const [row] = await db.select().from(windows).where(eq(windows.id, authorization.windowId));
  return row ? { openedBy: row.openedBy, until: row.expiresAt } : undefined;
}
