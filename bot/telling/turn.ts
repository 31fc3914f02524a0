import { and, eq, isNotNull } from 'drizzle-orm';
import type { OutboxRow } from '../../shared/db/outbox.ts';
import { approvals, executions } from '../../shared/db/schema.ts';
import { taskById } from '../../shared/db/tasks.ts';
import { type TurnRow, turnById } from '../../shared/db/turns.ts';
import { renderAnswer } from '../cards/answer.ts';
import { contentFor } from '../conversation/content.ts';
import { asksSomething } from '../conversation/question.ts';
import type { TellDeps } from './deps.ts';
import { pendingLines } from './pending.ts';

/**
 * The turn's answer as a new message, then one line for each older card that still waits (K14). Words
 * in front of a card ring no phone: the card does.
 */
export async function tellTurn(deps: TellDeps, row: OutboxRow): Promise<void> {
  const turn = row.turnId ? await turnById(deps.db, row.turnId) : undefined;
  const task = row.taskId ? await taskById(deps.db, row.taskId) : undefined;
  if (!(turn && task)) return;
  const text = wordsOf(turn);
  const rings = turn.outcome !== 'parked';
  if (text !== '') {
    const rendered = renderAnswer(text);
    const msgtype = rings ? 'm.text' : 'm.notice';
    const mentions = rings ? [turn.requestedBy] : [];
    const content = contentFor(task, { kind: 'answer' }, rendered, msgtype, mentions);
    await deps.room.send(row.roomId, content, `${row.id}.0`);
  }
  const older = asksSomething(text) ? [] : await shownPending(deps, task.id);
  if (older.length === 0) return;
  const mark = { kind: 'reminder', approvals: older.map(({ approval }) => approval.id) } as const;
  const content = contentFor(task, mark, pendingLines(older), 'm.notice');
  await deps.room.send(row.roomId, content, `${row.id}.1`);
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
