import { randomUUID } from 'node:crypto';
import { eq, sql } from 'drizzle-orm';
import type { Db } from '../../shared/db/client.ts';
import { readNow } from '../../shared/db/clock.ts';
import { fleetEntities } from '../../shared/db/entities.ts';
import { approvals, decisions, executions } from '../../shared/db/schema.ts';
import type { Authorization } from '../../shared/domain/authorization.ts';
import type { RiskClass } from '../../shared/domain/risk.ts';
import type { Target } from '../../shared/domain/target.ts';
import { hostOf } from '../../shared/domain/target.ts';
import { classify } from '../../shared/gate/classify.ts';
import { decisionContent, executionContent } from '../../shared/sealed.ts';
import { specHash } from '../../shared/spec-hash.ts';
import { touchedGuests } from '../../shared/target-facts.ts';
import { testSeals } from './seals.ts';

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
  const authorization: Authorization = approved
    ? { kind: 'approval', approvalId: ids.approvalId }
    : { kind: 'read_only' };
  const sealed = {
    id: ids.id,
    number: null,
    taskId: ids.taskId,
    turnId: null,
    roomId: '!room:test',
    agent: 'nomos',
    requestedBy: '@op:test',
    specHash: specHash(target, 'bash', command, guests),
    risk,
    gate,
    authorization,
    timeLimitMs: options.timeLimitMs ?? 20_000,
    site: options.site,
    proposedAt: now,
    onlyAsk: false,
    approvedAt: now,
    notBefore: null,
    notAfter: life,
  };
  await db.insert(executions).values({
    ...sealed,
    seal: testSeals.seal('execution', executionContent(sealed)),
    callKey: ids.id,
    status: 'approved',
    targetKind: target.kind,
    targetSlug: target.slug,
    targetName: target.name,
    hostSlug: hostOf(target),
    vmid: target.kind === 'host' ? null : target.vmid,
    dialect: 'bash',
    command,
    guests,
    purpose: 'a test',
    declaredRisk: declaredRisk ?? null,
  });
  if (approved) {
    const decision = {
      approvalId: ids.approvalId,
      decision: 'granted',
      by: '@op:test',
      how: 'words',
      eventId: null,
      at: now,
    } as const;
    const seal = testSeals.seal('decision', decisionContent(decision, sealed));
    await db.insert(decisions).values({ ...decision, seal });
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

/** Lets it run by something else, sealed as Oikos would have done it. */
export async function letRunBy(db: Db, id: string, authorization: Authorization): Promise<void> {
  const [row] = await db.select().from(executions).where(eq(executions.id, id));
  if (!row) throw new Error(`no execution ${id}`);
  const seal = testSeals.seal('execution', executionContent({ ...row, authorization }));
  const given = JSON.stringify(authorization);
  await db.execute(
    sql`update executions set "authorization" = ${given}::jsonb, seal = ${seal} where id = ${id}`,
  );
}
