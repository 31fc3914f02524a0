import { type SQL, sql } from 'drizzle-orm';
import {
  bigint,
  bigserial,
  boolean,
  check,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
  timestamp,
  uniqueIndex,
  uuid,
} from 'drizzle-orm/pg-core';
import { APPROVAL_STATUSES, DECISION_WAYS, DECISIONS } from '../domain/approval.ts';
import type { Authorization } from '../domain/authorization.ts';
import { DIALECTS } from '../domain/dialect.ts';
import { EXECUTION_STATUSES } from '../domain/execution.ts';
import type { GateResult } from '../domain/gate-result.ts';
import type { Origin } from '../domain/origin.ts';
import { OUTBOX_TYPES } from '../domain/outbox.ts';
import { RISK_CLASSES } from '../domain/risk.ts';
import type { NamedGuest } from '../domain/spec.ts';
import { TARGET_KINDS } from '../domain/target.ts';
import {
  TASK_OUTCOMES,
  TASK_STATUSES,
  TURN_OUTCOMES,
  TURN_STATUSES,
  TURN_TRIGGERS,
} from '../domain/task.ts';
import { WINDOW_KINDS } from '../domain/window.ts';

// Text with a CHECK built from one const array: adding a value is a plain migration, an SQL enum's is not.
function oneOf(name: string, values: readonly string[]) {
  const list = values.map((value) => `'${value}'`).join(', ');
  return check(name, sql.raw(`${name.replace(/^[a-z_]+__/, '')} in (${list})`));
}

const id = () => uuid('id').primaryKey().defaultRandom();
const moment = (name: string) => timestamp(name, { withTimezone: true, precision: 3 });

/** Hosts and guests as the daemon upserts them from fleet.yaml; the bot knows targets only from here. */
export const entities = pgTable(
  'entities',
  {
    id: id(),
    type: text('type').notNull(),
    slug: text('slug').notNull().unique(),
    name: text('name').notNull(),
    state: text('state').notNull().default('active'),
    attributes: jsonb('attributes')
      .$type<{
        host?: string;
        vmid?: number;
        site?: string;
        shell?: 'bash' | 'posix';
        floor?: string;
      }>()
      .notNull()
      .default({}),
    updatedAt: moment('updated_at').notNull(),
  },
  () => [oneOf('entities__type', [...TARGET_KINDS, 'task', 'agent'])],
);

/** One row a room: the numbers that its cards and tasks have used, never handed out again. */
export const rooms = pgTable('rooms', {
  roomId: text('room_id').primaryKey(),
  lastCard: integer('last_card').notNull().default(0),
  lastTask: integer('last_task').notNull().default(0),
});

/** A task: one conversation with one goal (K11). */
export const agentSessions = pgTable(
  'agent_sessions',
  {
    id: id(),
    number: integer('number').notNull(),
    roomId: text('room_id').notNull(),
    threadRoot: text('thread_root'),
    agent: text('agent').notNull(),
    goal: text('goal').notNull(),
    status: text('status', { enum: TASK_STATUSES }).notNull(),
    outcome: text('outcome', { enum: TASK_OUTCOMES }),
    summary: text('summary'),
    readSeq: integer('read_seq').notNull().default(0),
    stopEpoch: integer('stop_epoch').notNull().default(0),
    /** Continuations since the operator last spoke. */
    continuations: integer('continuations').notNull().default(0),
    createdAt: moment('created_at').notNull(),
    lastActiveAt: moment('last_active_at').notNull(),
    closedAt: moment('closed_at'),
  },
  (t) => [
    oneOf('agent_sessions__status', TASK_STATUSES),
    uniqueIndex('one_open_task_a_place')
      .on(t.roomId, sql`coalesce(${t.threadRoot}, '')`)
      .where(sql`status in ('open', 'waiting')`),
    uniqueIndex('task_number_a_room').on(t.roomId, t.number),
  ],
);

export const turns = pgTable(
  'turns',
  {
    id: id(),
    seq: bigserial('seq', { mode: 'number' }).notNull(),
    taskId: uuid('task_id').notNull(),
    trigger: text('trigger', { enum: TURN_TRIGGERS }).notNull(),
    requestedBy: text('requested_by').notNull(),
    /** Who asked is an operator: only such turns may use a window. */
    byOperator: boolean('by_operator').notNull(),
    stopEpoch: integer('stop_epoch').notNull(),
    status: text('status', { enum: TURN_STATUSES }).notNull(),
    outcome: text('outcome', { enum: TURN_OUTCOMES }),
    answer: text('answer'),
    error: text('error'),
    /** Event that the turn answers, and the place it is said in. */
    sourceEvent: text('source_event'),
    progressEvent: text('progress_event'),
    steps: integer('steps').notNull().default(0),
    promptTokens: integer('prompt_tokens').notNull().default(0),
    completionTokens: integer('completion_tokens').notNull().default(0),
    createdAt: moment('created_at').notNull(),
    startedAt: moment('started_at'),
    endedAt: moment('ended_at'),
  },
  (t) => [
    oneOf('turns__status', TURN_STATUSES),
    oneOf('turns__trigger', TURN_TRIGGERS),
    uniqueIndex('one_running_turn_a_task').on(t.taskId).where(sql`status = 'running'`),
    index('turns_waiting').on(t.seq).where(sql`status <> 'ended'`),
  ],
);

export interface StoredToolCall {
  readonly key: string;
  readonly id: string;
  readonly name: string;
  readonly args: string;
  /** Provider fields that are sent back unchanged. */
  readonly extra?: Record<string, unknown>;
}

/** Provider fields that must be sent back as they came. */
export interface MessageExtra {
  readonly reasoning?: unknown;
}

/** What the model reads of a task, in order; tool results carry their origin (K4). */
export const messages = pgTable(
  'messages',
  {
    seq: bigserial('seq', { mode: 'number' }).primaryKey(),
    taskId: uuid('task_id').notNull(),
    turnId: uuid('turn_id'),
    role: text('role', { enum: ['user', 'assistant', 'tool'] }).notNull(),
    content: text('content').notNull(),
    calls: jsonb('calls').$type<StoredToolCall[]>(),
    /** Provider fields that must be sent back as they came, e.g. reasoning. */
    extra: jsonb('extra').$type<MessageExtra>(),
    callKey: text('call_key').unique(),
    callId: text('call_id'),
    origins: jsonb('origins').$type<Origin[]>().notNull().default([]),
    readSeq: integer('read_seq'),
    sender: text('sender'),
    eventId: text('event_id'),
    at: moment('at').notNull(),
  },
  (t) => [index('messages_of_task').on(t.taskId, t.seq)],
);

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
    /** sha256 over target, dialect, command and guests: what a yes was given to. */
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
    proposedAt: moment('proposed_at').notNull(),
    approvedAt: moment('approved_at'),
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

export const approvals = pgTable(
  'approvals',
  {
    id: id(),
    executionId: uuid('execution_id').notNull().unique(),
    taskId: uuid('task_id').notNull(),
    roomId: text('room_id').notNull(),
    status: text('status', { enum: APPROVAL_STATUSES }).notNull(),
    phraseVerb: text('phrase_verb'),
    phraseObject: text('phrase_object'),
    /** Further names that mean the same object: exact name, kind:id. */
    phraseAliases: jsonb('phrase_aliases').$type<string[]>().notNull().default([]),
    cardEvent: text('card_event'),
    /** Our own inbox number of the card, and of the line that showed it last (R0, R8). */
    cardSeq: bigint('card_seq', { mode: 'number' }),
    shownSeq: bigint('shown_seq', { mode: 'number' }),
    shownTs: moment('shown_ts'),
    expiresAt: moment('expires_at').notNull(),
    createdAt: moment('created_at').notNull(),
    decidedAt: moment('decided_at'),
  },
  (t) => [
    oneOf('approvals__status', APPROVAL_STATUSES),
    index('approvals_pending').on(t.roomId).where(sql`status = 'pending'`),
  ],
);

/** Every decision that was taken, append-only. */
export const decisions = pgTable(
  'decisions',
  {
    id: id(),
    approvalId: uuid('approval_id').notNull(),
    decision: text('decision', { enum: DECISIONS }).notNull(),
    by: text('by').notNull(),
    how: text('how', { enum: DECISION_WAYS }).notNull(),
    words: text('words'),
    eventId: text('event_id'),
    at: moment('at').notNull(),
  },
  () => [oneOf('decisions__decision', DECISIONS), oneOf('decisions__how', DECISION_WAYS)],
);

export const windows = pgTable(
  'windows',
  {
    id: id(),
    kind: text('kind', { enum: WINDOW_KINDS }).notNull(),
    /** Readable: `assent_window.agent:nomos.task:T3`, `destructive_window.agent:nomos.target:lxc/135`. */
    key: text('key').notNull(),
    agent: text('agent').notNull(),
    taskId: uuid('task_id').notNull(),
    object: text('object'),
    verb: text('verb'),
    openedBy: text('opened_by').notNull(),
    approvalId: uuid('approval_id').notNull(),
    openedAt: moment('opened_at').notNull(),
    expiresAt: moment('expires_at').notNull(),
    revokedAt: moment('revoked_at'),
    coversSeq: integer('covers_seq').notNull(),
  },
  (t) => [oneOf('windows__kind', WINDOW_KINDS), index('windows_of_task').on(t.taskId)],
);

/** Who did what, in order; the table refuses update and delete. */
export const auditEvents = pgTable(
  'audit_events',
  {
    seq: bigserial('seq', { mode: 'number' }).primaryKey(),
    at: moment('at').notNull(),
    kind: text('kind').notNull(),
    actor: text('actor').notNull(),
    taskId: uuid('task_id'),
    executionId: uuid('execution_id'),
    approvalId: uuid('approval_id'),
    eventId: text('event_id'),
    data: jsonb('data').$type<Record<string, unknown>>().notNull().default({}),
  },
  (t) => [index('audit_of_execution').on(t.executionId)],
);

export const outbox = pgTable(
  'outbox',
  {
    seq: bigserial('seq', { mode: 'number' }).primaryKey(),
    id: uuid('id').notNull().defaultRandom(),
    type: text('type', { enum: OUTBOX_TYPES }).notNull(),
    roomId: text('room_id').notNull(),
    taskId: uuid('task_id'),
    turnId: uuid('turn_id'),
    executionId: uuid('execution_id'),
    approvalId: uuid('approval_id'),
    /** Ids and facts, at most 4 KB. */
    data: jsonb('data').$type<Record<string, unknown>>().notNull().default({}),
    at: moment('at').notNull(),
    toldAt: moment('told_at'),
    attempts: integer('attempts').notNull().default(0),
    failedReason: text('failed_reason'),
  },
  (t) => [
    oneOf('outbox__type', OUTBOX_TYPES),
    index('outbox_untold').on(t.seq).where(sql`told_at is null and failed_reason is null`),
  ],
);

/** Every room event in sync order, ours too; `seq` is the order that decisions are judged by. */
export const matrixInbox = pgTable(
  'matrix_inbox',
  {
    seq: bigserial('seq', { mode: 'number' }).primaryKey(),
    eventId: text('event_id').notNull().unique(),
    roomId: text('room_id').notNull(),
    sender: text('sender').notNull(),
    type: text('type').notNull(),
    stateKey: text('state_key'),
    content: jsonb('content').$type<Record<string, unknown>>().notNull(),
    redacts: text('redacts'),
    originTs: moment('origin_ts').notNull(),
    receivedAt: moment('received_at').notNull(),
    /** history: from a first sync, never acted on. */
    status: text('status', { enum: ['new', 'done', 'history'] }).notNull(),
  },
  (t) => [
    index('inbox_new').on(t.seq).where(sql`status = 'new'`),
    index('inbox_of_room').on(t.roomId, t.seq),
  ],
);

/** Small facts of the Matrix account: sync token, filter. */
export const matrixState = pgTable('matrix_state', {
  key: text('key').primaryKey(),
  value: text('value').notNull(),
});

/** Empty outside tests; its one row moves `oikos_now()` for both processes at once (K13). */
export const clockOffset = pgTable('clock_offset', {
  ms: bigint('ms', { mode: 'number' }).notNull(),
});

/** The database's clock: `now` is read once per operation and passed to pure code. */
export const oikosNow: SQL<Date> = sql`oikos_now()`;
