import { z } from 'zod';
import { setApprovalCard } from '../shared/db/approvals.ts';
import { type ExecutionRow, setCardEvent } from '../shared/db/executions.ts';
import type { OutboxRow } from '../shared/db/outbox.ts';
import { taskById } from '../shared/db/tasks.ts';
import { renderAnswer } from './cards/answer.ts';
import { contentFor } from './conversation/content.ts';
import { RULE_OFFER } from './conversation/ports.ts';
import { tellAgain } from './telling/again.ts';
import { attachLongCommand } from './telling/attach.ts';
import { cardContent, executionOf, refreshCard } from './telling/card-content.ts';
import type { TellDeps } from './telling/deps.ts';
import { tellEnd } from './telling/ends.ts';
import { tellReminder } from './telling/reminder.ts';
import { tellTurn } from './telling/turn.ts';
import { tellWindowClosed, tellWindowOpened } from './telling/windows.ts';

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
    case 'execution.shown':
      return tellAgain(deps, row);
    case 'approval.reminder':
      return tellReminder(deps, row);
    case 'window.opened':
      return tellWindowOpened(deps, row);
    case 'window.closed':
      return tellWindowClosed(deps, row);
    case 'room.say':
      return tellLine(deps, row);
    case 'task.status':
      return;
    default:
      return row.type satisfies never;
  }
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

/** The card, or the line of a run without one, shows the present state by whatever path. */
async function tellChange(deps: TellDeps, row: OutboxRow): Promise<void> {
  const execution = await executionOf(deps, row);
  if (!execution) return;
  if (execution.cardEvent !== null) {
    await refreshCard(deps, execution, `${row.id}.0`);
    await offerStop(deps, row, execution);
    return;
  }
  const unasked = execution.number !== null && execution.authorization?.kind !== 'approval';
  if (row.type !== 'execution.running' || !unasked) return;
  const content = await cardContent(deps, execution, null, 'm.notice');
  const eventId = await deps.room.send(row.roomId, content, `${row.id}.0`);
  await setCardEvent(deps.db, execution.id, eventId);
  await attachLongCommand(deps, row, execution);
}

/** While a confirmed deed can still be called off, its card offers the sign that does so. */
async function offerStop(deps: TellDeps, row: OutboxRow, execution: ExecutionRow): Promise<void> {
  const { status, notBefore, cardEvent } = execution;
  if (status !== 'approved' || notBefore === null || cardEvent === null) return;
  await deps.room.react(row.roomId, cardEvent, '🛑', `${row.id}.s`);
}

async function tellLine(deps: TellDeps, row: OutboxRow): Promise<void> {
  const { text, offers } = lineSchema.parse(row.data);
  const task = row.taskId ? await taskById(deps.db, row.taskId) : undefined;
  const content = contentFor(task, { kind: 'line' }, renderAnswer(text), 'm.notice');
  const marked = offers === undefined ? content : { ...content, [RULE_OFFER]: { rule: offers } };
  await deps.room.send(row.roomId, marked, `${row.id}.0`);
}

const lineSchema = z.object({ text: z.string(), offers: z.uuid().optional() });
