import { sql } from 'drizzle-orm';
import { bigserial, index, integer, jsonb, pgTable, text, uuid } from 'drizzle-orm/pg-core';
import { LASTING_KINDS } from '../../domain/audit.ts';
import { OUTBOX_TYPES } from '../../domain/outbox.ts';
import { moment, oneOf } from './columns.ts';

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
  (t) => [
    index('audit_of_execution').on(t.executionId),
    index('audit_of_task').on(t.taskId),
    index('audit_of_settings').on(t.at).where(sql`kind = 'gate.setting_changed'`),
    index('audit_of_rules')
      .on(sql`(${t.data} ->> 'rule')`, t.at)
      .where(sql`kind in ('rule.used', 'rule.revoked')`),
    index('audit_told')
      .on(t.kind, t.at)
      .where(sql`kind in ('stranger.noticed', 'database.altered')`),
    index('audit_lasting')
      .on(t.kind, t.seq)
      .where(sql.raw(`kind in (${LASTING_KINDS.map((kind) => `'${kind}'`).join(', ')})`)),
  ],
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
    /** Over everything but `status`, of what came as new: nobody else puts words into a mouth. */
    seal: text('seal'),
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
