import { sql } from 'drizzle-orm';
import {
  bigint,
  boolean,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
  uuid,
} from 'drizzle-orm/pg-core';
import type { Authorization } from '../../domain/authorization.ts';
import type { ContentFacts } from '../../domain/content.ts';
import { DIALECTS } from '../../domain/dialect.ts';
import { EXECUTION_STATUSES } from '../../domain/execution.ts';
import type { GateResult } from '../../domain/gate-result.ts';
import { RISK_CLASSES } from '../../domain/risk.ts';
import type { NamedGuest } from '../../domain/spec.ts';
import { TARGET_KINDS } from '../../domain/target.ts';
import { id, moment, oneOf } from './columns.ts';

export const executions = pgTable(
  'executions',
  {
    id: id(),
    /** Card number in the room; read_only runs have none. */
    number: integer('number'),
    roomId: text('room_id').notNull(),
    taskId: uuid('task_id').notNull(),
    turnId: uuid('turn_id'),
    callKey: text('call_key').notNull().unique(),
    batchId: uuid('batch_id'),
    /** No window and no class lets it run unasked: it was shown once, and has changed since. */
    onlyAsk: boolean('only_ask').notNull().default(false),
    agent: text('agent').notNull(),
    requestedBy: text('requested_by').notNull(),
    status: text('status', { enum: EXECUTION_STATUSES }).notNull(),
    targetKind: text('target_kind', { enum: TARGET_KINDS }).notNull(),
    targetSlug: text('target_slug').notNull(),
    targetName: text('target_name').notNull(),
    hostSlug: text('host_slug').notNull(),
    vmid: integer('vmid'),
    dialect: text('dialect', { enum: DIALECTS }).notNull(),
    command: text('command').notNull(),
    /** Guests that the command names, as the card shows them. */
    guests: jsonb('guests').$type<NamedGuest[]>().notNull().default([]),
    /** The files that it executes or applies, as they were found before it was judged. */
    facts: jsonb('facts').$type<ContentFacts>(),
    /** sha256 over target, dialect, command, guests and facts: what a yes was given to. */
    specHash: text('spec_hash').notNull(),
    purpose: text('purpose').notNull(),
    provenance: text('provenance'),
    declaredRisk: text('declared_risk', { enum: RISK_CLASSES }),
    /** Written once, at proposal. */
    risk: text('risk', { enum: RISK_CLASSES }).notNull(),
    gate: jsonb('gate').$type<GateResult>().notNull(),
    authorization: jsonb('authorization').$type<Authorization>(),
    timeLimitMs: integer('time_limit_ms').notNull(),
    site: text('site').notNull(),
    /** Over what lets it run, as it stands (shared/seal.ts); a row without one starts nothing but reads. */
    seal: text('seal'),
    proposedAt: moment('proposed_at').notNull(),
    approvedAt: moment('approved_at'),
    /** A grace in which a confirmed deed can still be called off. */
    notBefore: moment('not_before'),
    notAfter: moment('not_after'),
    startedAt: moment('started_at'),
    endedAt: moment('ended_at'),
    exitCode: integer('exit_code'),
    signal: text('signal'),
    /** Why it ended as it did, in words for people: refusal, failure without exit code, loss. */
    reason: text('reason'),
    outputBytes: bigint('output_bytes', { mode: 'number' }).notNull().default(0),
    outputCut: boolean('output_cut').notNull().default(false),
    cancelRequestedAt: moment('cancel_requested_at'),
    cancelRequestedBy: text('cancel_requested_by'),
    owner: text('owner'),
    leaseUntil: moment('lease_until'),
    /** Its host has not answered since; the run may go on there. */
    unreachableSince: moment('unreachable_since'),
    /** It has printed nothing since, for so long that people should know. */
    quietSince: moment('quiet_since'),
    /** The boot that it is meant to end, as it was before the start: its end is another one. */
    bootBefore: text('boot_before'),
    /** Turn in which the agent was told of the end (K7). */
    seenInTurn: uuid('seen_in_turn'),
    /** The room's event that shows it: a card, or the line of a run under a window. */
    cardEvent: text('card_event'),
  },
  (t) => [
    oneOf('executions__status', EXECUTION_STATUSES),
    oneOf('executions__risk', RISK_CLASSES),
    uniqueIndex('card_number_a_room').on(t.roomId, t.number),
    index('executions_of_task').on(t.taskId, t.status),
    index('executions_of_batch').on(t.batchId).where(sql`batch_id is not null`),
    // How often a rule was used is counted here.
    index('executions_by_rule')
      .on(sql`(${t.authorization} ->> 'ruleId')`, t.approvedAt)
      .where(sql`${t.authorization} ->> 'ruleId' is not null`),
    index('executions_alive')
      .on(t.status, t.approvedAt)
      .where(sql`status in ('proposed', 'pending_approval', 'approved', 'running')`),
  ],
);

/** At most 32 KiB a row, folded, redacted, NUL-free (K9). */
export const executionOutput = pgTable(
  'execution_output',
  {
    executionId: uuid('execution_id').notNull(),
    seq: integer('seq').notNull(),
    stream: text('stream', { enum: ['stdout', 'stderr'] }).notNull(),
    at: moment('at').notNull(),
    text: text('text').notNull(),
  },
  (t) => [primaryKey({ columns: [t.executionId, t.seq] })],
);
