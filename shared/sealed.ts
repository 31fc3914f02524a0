import type { Authorization } from './domain/authorization.ts';
import type { Sealable } from './seal.ts';

// What a seal covers of each row, in one place: writer and verifier build it alike.

/** What decides whether, by what, until when and how long an execution may run. */
export interface SealedExecution {
  readonly id: string;
  readonly roomId: string;
  readonly taskId: string;
  readonly agent: string;
  readonly requestedBy: string;
  /** Covers target, dialect, command and named guests. */
  readonly specHash: string;
  readonly risk: string;
  readonly gate: { readonly flags: readonly string[] };
  readonly timeLimitMs: number;
  readonly site: string;
  readonly proposedAt: Date;
  readonly authorization: Authorization | null;
  readonly approvedAt: Date | null;
  readonly notAfter: Date | null;
}

export function executionContent(row: SealedExecution): Sealable {
  const { id, roomId, taskId, agent, requestedBy, specHash, risk, timeLimitMs, site } = row;
  const { proposedAt, approvedAt, notAfter } = row;
  return {
    ...{ id, roomId, taskId, agent, requestedBy, specHash, risk, timeLimitMs, site },
    ...{ proposedAt, approvedAt, notAfter },
    flags: row.gate.flags,
    authorization: row.authorization && { ...row.authorization },
  };
}

/** A person's yes or no: who said it, how, where, and to exactly what. */
export interface SealedDecision {
  readonly approvalId: string;
  readonly decision: string;
  readonly by: string;
  readonly how: string;
  readonly eventId: string | null;
  readonly at: Date;
}

export function decisionContent(
  row: SealedDecision,
  execution: { readonly id: string; readonly specHash: string },
): Sealable {
  const { approvalId, decision, by, how, eventId, at } = row;
  const { id: executionId, specHash } = execution;
  return { approvalId, decision, by, how, eventId, at, executionId, specHash };
}

export interface SealedWindow {
  readonly id: string;
  readonly kind: string;
  readonly key: string;
  readonly agent: string;
  readonly taskId: string;
  readonly object: string | null;
  readonly verb: string | null;
  readonly openedBy: string;
  readonly approvalId: string;
  readonly openedAt: Date;
  readonly expiresAt: Date;
  readonly coversSeq: number;
}

/** Everything but `revoked_at`: taking away needs no proof. */
export function windowContent(row: SealedWindow): Sealable {
  const { id, kind, key, agent, taskId, object, verb, openedBy, approvalId } = row;
  const { openedAt, expiresAt, coversSeq } = row;
  return {
    ...{ id, kind, key, agent, taskId, object, verb, openedBy, approvalId },
    ...{ openedAt, expiresAt, coversSeq },
  };
}

/** What and where a target is, as the daemon knows it. */
export interface SealedTarget {
  readonly type: string;
  readonly slug: string;
  readonly name: string;
  readonly attributes: {
    readonly host?: string | undefined;
    readonly vmid?: number | undefined;
    readonly site: string;
  };
}

export function targetContent({ type, slug, name, attributes }: SealedTarget): Sealable {
  const { host, vmid, site } = attributes;
  return { type, slug, name, host: host ?? null, vmid: vmid ?? null, site };
}
