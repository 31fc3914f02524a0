import { sql } from 'drizzle-orm';
import {
  bigserial,
  boolean,
  index,
  integer,
  jsonb,
  pgTable,
  text,
  uniqueIndex,
  uuid,
} from 'drizzle-orm/pg-core';
import type { Origin } from '../../domain/origin.ts';
import {
  TASK_OUTCOMES,
  TASK_STATUSES,
  TURN_OUTCOMES,
  TURN_STATUSES,
  TURN_TRIGGERS,
} from '../../domain/task.ts';
import { id, moment, oneOf } from './columns.ts';

/** One row a room: the numbers that its cards and tasks have used, never handed out again, and what it may do. */
export const rooms = pgTable('rooms', {
  roomId: text('room_id').primaryKey(),
  lastCard: integer('last_card').notNull().default(0),
  lastTask: integer('last_task').notNull().default(0),
  /** On the operator's list: only there do decisions count. */
  listedAt: moment('listed_at'),
  listedBy: text('listed_by'),
  /** Over its place on the list: a room that somebody else put there is not on it. */
  seal: text('seal'),
  /** Nobody's words start a turn here until `resume`. */
  pausedAt: moment('paused_at'),
  pausedBy: text('paused_by'),
  /** The room was told that it is not on the list. */
  warnedAt: moment('warned_at'),
  /** Every word here is for us, however many people listen. */
  ops: boolean('ops').notNull().default(false),
  /** How many others are in it; null until they were counted since the bot's start. */
  people: integer('people'),
  /** Somebody in it comes over a bridge: nothing is decided here. */
  bridged: boolean('bridged').notNull().default(false),
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
