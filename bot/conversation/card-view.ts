import { eq } from 'drizzle-orm';
import { approvalOfExecution, type DecisionRow, decisionOf } from '../../shared/db/approvals.ts';
import type { Db } from '../../shared/db/client.ts';
import type { ExecutionRow } from '../../shared/db/executions.ts';
import { readOutput } from '../../shared/db/read-output.ts';
import { passedRule, ruleById, usesBefore } from '../../shared/db/rules.ts';
import { windows } from '../../shared/db/schema.ts';
import { targetOf } from '../../shared/db/windows.ts';
import type { RiskClass } from '../../shared/domain/risk.ts';
import type { NamedGuest } from '../../shared/domain/spec.ts';
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
  const byRule = await ruleBehind(db, execution);
  const target = targetOf(execution);
  const windowUntil = approval ? await openedUntil(db, approval.id, execution.risk) : null;
  return {
    number: execution.number ?? 0,
    status: execution.status,
    risk: execution.risk,
    flags: execution.gate.flags,
    reasons: explain(execution.gate),
    target: describeTarget(target),
    touches: execution.guests.map(describeGuest),
    windowUntil,
    command: execution.command,
    purpose: execution.purpose,
    phrase: verb && object ? { verb, object } : null,
    expiresAt: approval?.expiresAt ?? null,
    requestedBy: execution.requestedBy,
    exitCode: execution.exitCode,
    startsAt: execution.notBefore,
    startedAt: execution.startedAt,
    unreachableSince: execution.unreachableSince,
    quietSince: execution.quietSince,
    endedAt: execution.endedAt,
    ...(execution.provenance !== null && { provenance: execution.provenance }),
    ...(decision && { decision: decisionView(decision) }),
    ...(execution.facts !== null && { facts: execution.facts }),
    ...(execution.reason !== null && { outcome: execution.reason }),
    ...(output && { tail: output.both, outputCut: output.cut || execution.outputCut }),
    ...(under && { underWindow: under }),
    byRule,
    passedBy: await ruleThatPassed(db, execution),
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

/** `CT 135 "web-old" (lxc:web-old)`: what the operator checks before saying yes. */
function describeGuest({ key, slug, name }: NamedGuest): string {
  const [type, id] = key.split('/');
  const noun = `${type === 'vm' ? 'VM' : 'CT'} ${id}`;
  return slug === null ? `${noun}, which the fleet does not list` : `${noun} "${name}" (${slug})`;
}

/** End of the window that the yes to this card opened. */
async function openedUntil(db: Db, approvalId: string, risk: RiskClass): Promise<Date | null> {
  const opened = await db.select().from(windows).where(eq(windows.approvalId, approvalId));
  const kind = risk === 'destructive' ? 'destructive' : 'assent';
  return opened.find((window) => window.kind === kind && !window.revokedAt)?.expiresAt ?? null;
}

async function windowOf(db: Db, execution: ExecutionRow) {
  const { authorization } = execution;
  if (authorization?.kind !== 'window') return undefined;
  const [row] = await db.select().from(windows).where(eq(windows.id, authorization.windowId));
  return row ? { openedBy: row.openedBy, until: row.expiresAt } : undefined;
}

async function ruleThatPassed(db: Db, { id, status }: ExecutionRow) {
  return status === 'pending_approval' ? passedRule(db, id) : undefined;
}

async function ruleBehind(
  db: Db,
  { id, approvedAt, authorization }: ExecutionRow,
): Promise<CardView['byRule']> {
  if (authorization?.kind !== 'pattern' && authorization?.kind !== 'rule') return undefined;
  const row = await ruleById(db, authorization.ruleId);
  if (!row?.allowedAt) return undefined;
  const { number, allowedBy, allowedAt, dailyCap } = row;
  const use = approvedAt ? 1 + (await usesBefore(db, row.id, { id, approvedAt })) : 1;
  return { number, allowedBy, allowedAt, use, dailyCap };
}
