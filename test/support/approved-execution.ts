import { randomUUID } from 'node:crypto';
import type { Db } from '../../shared/db/client.ts';
import { readNow } from '../../shared/db/clock.ts';
import { fleetEntities } from '../../shared/db/entities.ts';
import { approvals, executions } from '../../shared/db/schema.ts';
import type { RiskClass } from '../../shared/domain/risk.ts';
import type { Target } from '../../shared/domain/target.ts';
import { hostOf } from '../../shared/domain/target.ts';
import { classify } from '../../shared/gate/classify.ts';
import { specHash } from '../../shared/spec-hash.ts';
import { touchedGuests } from '../../shared/target-facts.ts';

export interface ApprovedOptions {
  readonly site: string;
  readonly target: Target;
  readonly command: string;
  readonly timeLimitMs?: number;
  /** Stored instead of what the gate says. */
  readonly risk?: RiskClass;
  /** Declared by the agent: can only raise the class. */
  readonly declaredRisk?: RiskClass;
}

/** An execution as `propose()` and a person's yes would have left it. */
export async function approvedExecution(db: Db, options: ApprovedOptions): Promise<string> {
  const { target, command, declaredRisk } = options;
  const now = await readNow(db);
  const gate = classify({
    command,
    facts: { shell: 'bash', targetKind: target.kind },
    ...(declaredRisk && { declaredRisk }),
  });
  const risk = options.risk ?? gate.risk;
  const guests = touchedGuests(gate, target, await fleetEntities(db));
  const ids = { id: randomUUID(), taskId: randomUUID(), approvalId: randomUUID() };
  const approved = risk !== 'read_only';
  const life = new Date(now.getTime() + 60 * 60_000);
  await db.insert(executions).values({
    id: ids.id,
    taskId: ids.taskId,
    roomId: '!room:test',
    callKey: ids.id,
    agent: 'nomos',
    requestedBy: '@op:test',
    status: 'approved',
    targetKind: target.kind,
    targetSlug: target.slug,
    targetName: target.name,
    hostSlug: hostOf(target),
    vmid: target.kind === 'host' ? null : target.vmid,
    dialect: 'bash',
    command,
    guests,
    specHash: specHash(target, 'bash', command, guests),
    purpose: 'a test',
    declaredRisk: declaredRisk ?? null,
    risk,
    gate,
    authorization: approved
      ? { kind: 'approval', approvalId: ids.approvalId }
      : { kind: 'read_only' },
    timeLimitMs: options.timeLimitMs ?? 20_000,
    site: options.site,
    proposedAt: now,
    approvedAt: now,
    notAfter: life,
  });
  if (approved) {
    await db.insert(approvals).values({
      id: ids.approvalId,
      executionId: ids.id,
      taskId: ids.taskId,
      roomId: '!room:test',
      status: 'granted',
      expiresAt: life,
      createdAt: now,
      decidedAt: now,
    });
  }
  return ids.id;
}
