import { sql } from 'drizzle-orm';
import { bigint, boolean, index, integer, jsonb, pgTable, text, uuid } from 'drizzle-orm/pg-core';
import { APPROVAL_STATUSES, DECISION_WAYS, DECISIONS } from '../../domain/approval.ts';
import { WINDOW_KINDS } from '../../domain/window.ts';
import { id, moment, oneOf } from './columns.ts';

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
    /** Shown once more because nobody answered. */
    remindedAt: moment('reminded_at'),
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
    /** The room was told that its time is over. */
    endTold: boolean('end_told').notNull().default(false),
  },
  (t) => [oneOf('windows__kind', WINDOW_KINDS), index('windows_of_task').on(t.taskId)],
);
