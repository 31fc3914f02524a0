import { canonicalJson } from './canonical-json.ts';
import type { Authorization } from './domain/authorization.ts';
import type { Sealable } from './seal.ts';

// What a seal covers of each row, in one place: writer and verifier build it alike.

/** What decides whether, by what, until when and how long an execution may run. */
export interface SealedExecution {
  readonly id: string;
  /** The card's: a yes to #7 must not reach what was #8. */
  readonly number: number | null;
  readonly roomId: string;
  readonly taskId: string;
  /** Whose rights it was proposed by. */
  readonly turnId: string | null;
  readonly agent: string;
  readonly requestedBy: string;
  /** Covers target, dialect, command and named guests. */
  readonly specHash: string;
  readonly risk: string;
  readonly gate: { readonly flags: readonly string[] };
  readonly timeLimitMs: number;
  readonly site: string;
  /** No window and no rule may serve it. */
  readonly onlyAsk: boolean;
  readonly proposedAt: Date;
  readonly authorization: Authorization | null;
  readonly approvedAt: Date | null;
  readonly notBefore: Date | null;
  readonly notAfter: Date | null;
}

export function executionContent(row: SealedExecution): Sealable {
  return {
    id: row.id,
    number: row.number,
    roomId: row.roomId,
    taskId: row.taskId,
    turnId: row.turnId,
    agent: row.agent,
    requestedBy: row.requestedBy,
    specHash: row.specHash,
    risk: row.risk,
    flags: row.gate.flags,
    timeLimitMs: row.timeLimitMs,
    site: row.site,
    onlyAsk: row.onlyAsk,
    proposedAt: row.proposedAt,
    authorization: row.authorization && { ...row.authorization },
    approvedAt: row.approvedAt,
    notBefore: row.notBefore,
    notAfter: row.notAfter,
  };
}

/** Which execution a card is for, what it takes to confirm it, and until when. */
export interface SealedApproval {
  readonly id: string;
  readonly executionId: string;
  readonly taskId: string;
  readonly roomId: string;
  readonly phraseVerb: string | null;
  readonly phraseObject: string | null;
  readonly phraseAliases: readonly string[];
  readonly createdAt: Date;
  readonly expiresAt: Date;
}

export function approvalContent(row: SealedApproval): Sealable {
  return {
    id: row.id,
    executionId: row.executionId,
    taskId: row.taskId,
    roomId: row.roomId,
    phraseVerb: row.phraseVerb,
    phraseObject: row.phraseObject,
    phraseAliases: row.phraseAliases,
    createdAt: row.createdAt,
    expiresAt: row.expiresAt,
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
  return {
    approvalId: row.approvalId,
    executionId: execution.id,
    specHash: execution.specHash,
    decision: row.decision,
    by: row.by,
    how: row.how,
    eventId: row.eventId,
    at: row.at,
  };
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
  return {
    id: row.id,
    kind: row.kind,
    key: row.key,
    agent: row.agent,
    taskId: row.taskId,
    object: row.object,
    verb: row.verb,
    openedBy: row.openedBy,
    approvalId: row.approvalId,
    openedAt: row.openedAt,
    expiresAt: row.expiresAt,
    coversSeq: row.coversSeq,
  };
}

/** What and where a target is and what fleet.yaml says of it, as the daemon knows it. */
export interface SealedTarget {
  readonly type: string;
  readonly slug: string;
  readonly name: string;
  readonly attributes: {
    readonly host?: string | undefined;
    readonly vmid?: number | undefined;
    readonly site: string;
    readonly floor?: string | undefined;
    /** Rules are tied to it. */
    readonly hostKey?: string | undefined;
  };
}

export function targetContent({ type, slug, name, attributes }: SealedTarget): Sealable {
  const { host, vmid, site, floor, hostKey } = attributes;
  const place = { host: host ?? null, vmid: vmid ?? null, site };
  return { type, slug, name, ...place, floor: floor ?? null, hostKey: hostKey ?? null };
}

/** What an operator told the gate, and when: the ledger knows which change was the last. */
export function settingContent(row: {
  readonly key: string;
  readonly value: unknown;
  readonly updatedAt: Date;
  readonly updatedBy: string;
}): Sealable {
  const { key, value, updatedAt, updatedBy } = row;
  return { key, value: canonicalJson(value), updatedAt, updatedBy };
}

/** One event of a room as the sync brought it, at its place in our order. */
export interface SealedEvent {
  readonly seq: number;
  readonly eventId: string;
  readonly roomId: string;
  readonly sender: string;
  readonly type: string;
  readonly stateKey: string | null;
  readonly content: Record<string, unknown>;
  readonly redacts: string | null;
  readonly originTs: Date;
  readonly receivedAt: Date;
}

/** Everything but whether it was handled. */
export function eventContent(row: SealedEvent): Sealable {
  return {
    seq: row.seq,
    eventId: row.eventId,
    roomId: row.roomId,
    sender: row.sender,
    type: row.type,
    stateKey: row.stateKey,
    content: canonicalJson(row.content),
    redacts: row.redacts,
    originTs: row.originTs,
    receivedAt: row.receivedAt,
  };
}

/** A room's place on the operators' list. */
export function listingContent(row: {
  readonly roomId: string;
  readonly listedAt: Date | null;
  readonly listedBy: string | null;
}): Sealable {
  return { roomId: row.roomId, listedAt: row.listedAt, listedBy: row.listedBy };
}

/** The end of one lock, which the ledger knows by its number: it ends no other. */
export function unlockingContent(row: {
  readonly person: string;
  readonly lockSeq: number;
}): Sealable {
  return { person: row.person, lockSeq: row.lockSeq };
}

/** Whom a token speaks for; that it was revoked is known by the ledger. */
export function tokenContent(row: {
  readonly id: string;
  readonly operator: string;
  readonly hash: string;
  readonly createdAt: Date;
}): Sealable {
  return { id: row.id, operator: row.operator, hash: row.hash, createdAt: row.createdAt };
}

/** How far a test moved the clock. */
export function clockContent({ ms }: { readonly ms: number }): Sealable {
  return { ms };
}
