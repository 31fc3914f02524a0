import { and, eq, isNotNull } from 'drizzle-orm';
import { z } from 'zod';
import { setApprovalCard } from '../shared/db/approvals.ts';
import { readNow } from '../shared/db/clock.ts';
import { type ExecutionRow, setCardEvent } from '../shared/db/executions.ts';
import type { OutboxRow } from '../shared/db/outbox.ts';
import { approvals, executions } from '../shared/db/schema.ts';
import { taskById } from '../shared/db/tasks.ts';
import { type TurnRow, turnById } from '../shared/db/turns.ts';
import { type ExecutionStatus, isFinal } from '../shared/domain/execution.ts';
import type { Log } from '../shared/log.ts';
import { renderAnswer } from './cards/answer.ts';
import { renderCard } from './cards/card.ts';
import { commandSummary, MAX_SHOWN_COMMAND } from './cards/command-text.ts';
import { renderPendingLines, renderUnaskedRun } from './cards/lines.ts';
import { cardView } from './conversation/card-view.ts';
import { contentFor } from './conversation/content.ts';
import { type ContinuationDeps, scheduleContinuation } from './conversation/continuation.ts';
import { type MessageContent, type RoomPort, RULE_OFFER } from './conversation/ports.ts';
import { asksSomething } from './conversation/question.ts';

export interface TellDeps extends ContinuationDeps {
  readonly room: RoomPort;
  readonly log: Log;
  readonly timeZone: string;
}

/** Tells one outbox row; safe to repeat. */
export async function tell(deps: TellDeps, row: OutboxRow): Promise<void> {
  switch (row.type) {
    case 'turn.ended':
      return tellTurn(deps, row);
    case 'execution.waiting':
      return tellCard(deps, row);
    case 'execution.approved':
    case 'execution.running':
    case 'approval.decided':
      return tellChange(deps, row);
    case 'execution.ended':
      return tellEnd(deps, row);
    case 'room.say':
      return tellLine(deps, row);
    case 'window.opened':
    case 'window.closed':
    case 'task.status':
      return;
    default:
      return row.type satisfies never;
  }
}

/** The turn's answer as a new message, then one line for each older card that still waits (K14). */
async function tellTurn(deps: TellDeps, row: OutboxRow): Promise<void> {
  const turn = row.turnId ? await turnById(deps.db, row.turnId) : undefined;
  const task = row.taskId ? await taskById(deps.db, row.taskId) : undefined;
  if (!(turn && task)) return;
  const text = wordsOf(turn);
  if (text !== '') {
    const rendered = renderAnswer(text);
    const content = contentFor(task, { kind: 'answer' }, rendered, 'm.text', turn.requestedBy);
    await deps.room.send(row.roomId, content, `${row.id}.0`);
  }
  const older = asksSomething(text) ? [] : await shownPending(deps, task.id);
  if (older.length === 0) return;
  const lines = renderPendingLines(
    older.map(({ approval, execution }) => ({
      number: execution.number ?? 0,
      summary: `${commandSummary(execution.command)} on ${execution.targetSlug}`,
      phrase: phraseOf(approval),
    })),
  );
  const shows = older.map(({ approval }) => approval.id);
  const mark = { kind: 'reminder', approvals: shows } as const;
  await deps.room.send(row.roomId, contentFor(task, mark, lines, 'm.text'), `${row.id}.1`);
}

function wordsOf(turn: TurnRow): string {
  if (turn.outcome === 'failed') return turn.error ?? 'This turn failed.';
  if (turn.outcome === 'stopped') return turn.answer || 'I stopped working on this.';
  return turn.answer ?? '';
}

async function shownPending(deps: TellDeps, taskId: string) {
  return deps.db
    .select({ approval: approvals, execution: executions })
    .from(approvals)
    .innerJoin(executions, eq(executions.id, approvals.executionId))
    .where(
      and(
        eq(approvals.taskId, taskId),
        eq(approvals.status, 'pending'),
        isNotNull(approvals.cardEvent),
      ),
    )
    .orderBy(executions.number);
}

/** Row, then card, then its event id; words count once the card came back to us by sync. */
async function tellCard(deps: TellDeps, row: OutboxRow): Promise<void> {
  const execution = await executionOf(deps, row);
  if (execution?.status !== 'pending_approval' || row.approvalId === null) return;
  const content = await cardContent(deps, execution, row.approvalId, 'm.text');
  const eventId = await deps.room.send(row.roomId, content, `${row.id}.0`);
  await setCardEvent(deps.db, execution.id, eventId);
  await setApprovalCard(deps.db, row.approvalId, eventId);
  await attachLongCommand(deps, row, execution);
  // A reaction never starts a destruction, so none is offered there.
  const keys = execution.risk === 'destructive' ? ['👎'] : ['👍', '👎'];
  for (const [at, key] of keys.entries()) {
    await deps.room.react(row.roomId, eventId, key, `${row.id}.r${at}`);
  }
}

/** A card that shows only the head of a command has the whole of it below. */
async function attachLongCommand(
  deps: TellDeps,
  row: OutboxRow,
  execution: ExecutionRow,
): Promise<void> {
  if (execution.command.length <= MAX_SHOWN_COMMAND) return;
  const task = await taskById(deps.db, execution.taskId);
  const name = `command-${execution.number}.sh`;
  const file = { name, text: execution.command, threadRoot: task?.threadRoot ?? null };
  await deps.room.attach(row.roomId, file, `${row.id}.f`);
}

/** What runs unasked has no card: its own line says by whose yes or rule it runs. */
const UNASKED: readonly string[] = ['window', 'pattern', 'rule'];

/** The card, or the line of a run under a window, shows the present state by whatever path. */
async function tellChange(deps: TellDeps, row: OutboxRow): Promise<void> {
  const execution = await executionOf(deps, row);
  if (!execution) return;
  if (execution.cardEvent !== null) {
    await refresh(deps, execution, `${row.id}.0`);
  } else if (
    row.type === 'execution.running' &&
    UNASKED.includes(execution.authorization?.kind ?? '')
  ) {
    const eventId = await deps.room.send(
      row.roomId,
      await cardContent(deps, execution, null, 'm.notice'),
      `${row.id}.0`,
    );
    await setCardEvent(deps.db, execution.id, eventId);
    await attachLongCommand(deps, row, execution);
  }
}

/** Ends of work that was approved and did not begin. */
const NEVER_BEGAN: readonly ExecutionStatus[] = ['expired', 'refused'];

async function tellEnd(deps: TellDeps, row: OutboxRow): Promise<void> {
  const execution = await executionOf(deps, row);
  if (!execution) return;
  // First, because a room that refuses the message must not keep the end from the agent.
  await scheduleContinuation(deps, execution.taskId);
  if (execution.cardEvent !== null) await refresh(deps, execution, `${row.id}.0`);
  // Lost work rings the phone: somebody must look at the machine.
  if (execution.status === 'lost') await tellLost(deps, execution, `${row.id}.1`);
  if (NEVER_BEGAN.includes(execution.status) && execution.cardEvent === null) {
    await tellNotStarted(deps, execution, `${row.id}.1`);
  }
}

/** Approved work that has no card of its own and was never started: nothing else would say so. */
async function tellNotStarted(
  deps: TellDeps,
  execution: ExecutionRow,
  txnId: string,
): Promise<void> {
  const task = await taskById(deps.db, execution.taskId);
  const what = `${commandSummary(execution.command)} on ${execution.targetSlug}`;
  const text =
    execution.status === 'refused'
      ? `The daemon refused ${what}; nothing ran: ${execution.reason ?? 'no reason recorded'}.`
      : `${what} was not started; nothing ran: ${execution.reason ?? 'no reason recorded'}. Is the daemon running?`;
  const content = contentFor(task, { kind: 'line' }, renderAnswer(text), 'm.notice');
  await deps.room.send(execution.roomId, content, txnId);
}

async function tellLost(deps: TellDeps, execution: ExecutionRow, txnId: string): Promise<void> {
  const task = await taskById(deps.db, execution.taskId);
  const name = execution.number === null ? 'A command' : `#${execution.number}`;
  const text = `${name} is lost: ${commandSummary(execution.command)} on ${execution.targetSlug} was started, and what became of it is not known (${execution.reason ?? 'no reason recorded'}). It is not started again by itself.`;
  const content = contentFor(
    task,
    { kind: 'line' },
    renderAnswer(text),
    'm.text',
    execution.requestedBy,
  );
  await deps.room.send(execution.roomId, content, txnId);
}

async function tellLine(deps: TellDeps, row: OutboxRow): Promise<void> {
  const { text, offers } = lineSchema.parse(row.data);
  const task = row.taskId ? await taskById(deps.db, row.taskId) : undefined;
  const content = contentFor(task, { kind: 'line' }, renderAnswer(text), 'm.notice');
  const marked = offers === undefined ? content : { ...content, [RULE_OFFER]: { rule: offers } };
  await deps.room.send(row.roomId, marked, `${row.id}.0`);
}

const lineSchema = z.object({ text: z.string(), offers: z.uuid().optional() });

async function refresh(deps: TellDeps, execution: ExecutionRow, txnId: string): Promise<void> {
  if (execution.cardEvent === null) return;
  const approvalId = await approvalIdOf(deps, execution);
  const msgtype = approvalId === null ? 'm.notice' : 'm.text';
  const content = await cardContent(deps, execution, approvalId, msgtype);
  await deps.room.edit(execution.roomId, execution.cardEvent, content, txnId);
}

async function cardContent(
  deps: TellDeps,
  execution: ExecutionRow,
  approvalId: string | null,
  msgtype: MessageContent['msgtype'],
): Promise<MessageContent> {
  const task = await taskById(deps.db, execution.taskId);
  const view = await cardView(deps.db, execution);
  const options = { now: await readNow(deps.db), timeZone: deps.timeZone };
  const rendered =
    approvalId === null ? renderUnaskedRun(view, options) : renderCard(view, options);
  const waits = approvalId !== null && !isFinal(execution.status);
  const mark =
    approvalId === null
      ? ({ kind: 'line' } as const)
      : ({ kind: 'card', approvals: [approvalId] } as const);
  return {
    ...contentFor(task, mark, rendered, msgtype, waits ? execution.requestedBy : undefined),
    'io.oikos.card': {
      v: 1,
      execution: execution.id,
      approval: approvalId,
      number: execution.number,
      rev: 1,
      hash: execution.specHash,
    },
  };
}

async function executionOf(deps: TellDeps, row: OutboxRow): Promise<ExecutionRow | undefined> {
  if (row.executionId === null) return undefined;
  const [execution] = await deps.db
    .select()
    .from(executions)
    .where(eq(executions.id, row.executionId));
  return execution;
}

async function approvalIdOf(deps: TellDeps, execution: ExecutionRow): Promise<string | null> {
  const [row] = await deps.db
    .select({ id: approvals.id })
    .from(approvals)
    .where(eq(approvals.executionId, execution.id));
  return row?.id ?? null;
}

function phraseOf(approval: TaskPhrase): { verb: string; object: string } | null {
  const { phraseVerb: verb, phraseObject: object } = approval;
  return verb !== null && object !== null ? { verb, object } : null;
}

type TaskPhrase = Pick<typeof approvals.$inferSelect, 'phraseVerb' | 'phraseObject'>;
