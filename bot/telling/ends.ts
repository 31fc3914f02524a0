import type { ExecutionRow } from '../../shared/db/executions.ts';
import type { OutboxRow } from '../../shared/db/outbox.ts';
import { taskById } from '../../shared/db/tasks.ts';
import { renderAnswer } from '../cards/answer.ts';
import { commandSummary } from '../cards/command-text.ts';
import { contentFor } from '../conversation/content.ts';
import { scheduleContinuation } from '../conversation/continuation.ts';
import { threadLongOutput } from './attach.ts';
import { executionOf, refreshCard } from './card-content.ts';
import { type TellDeps, whoMustAct } from './deps.ts';

/** The end of an execution: its card shows it, the agent hears of it, and what must ring does. */
export async function tellEnd(deps: TellDeps, row: OutboxRow): Promise<void> {
  const execution = await executionOf(deps, row);
  if (!execution) return;
  // First, because a room that refuses the message must not keep the end from the agent.
  await scheduleContinuation(deps, execution.taskId);
  await refreshCard(deps, execution, `${row.id}.0`);
  await tellNews(deps, row, execution);
  await threadLongOutput(deps, row, execution);
}

async function tellNews(deps: TellDeps, row: OutboxRow, execution: ExecutionRow): Promise<void> {
  const news = newsOf(execution);
  if (news === undefined) return;
  const task = await taskById(deps.db, execution.taskId);
  const mentions = news.rings ? whoMustAct(deps, execution.requestedBy) : [];
  const msgtype = news.rings ? 'm.text' : 'm.notice';
  const rendered = renderAnswer(news.text);
  const content = contentFor(task, { kind: 'line' }, rendered, msgtype, mentions);
  await deps.room.send(row.roomId, content, `${row.id}.1`);
}

type EndedRun = Pick<
  ExecutionRow,
  | 'status'
  | 'number'
  | 'command'
  | 'targetSlug'
  | 'startedAt'
  | 'cardEvent'
  | 'reason'
  | 'bootBefore'
>;

interface News {
  readonly text: string;
  readonly rings: boolean;
}

/** What its card does not show loudly enough, or cannot show because there is none. */
export function newsOf(execution: EndedRun): News | undefined {
  const { status, number, startedAt, cardEvent, reason, bootBefore } = execution;
  const what = `${commandSummary(execution.command)} on ${execution.targetSlug}`;
  const name = number === null ? 'A command' : `#${number}`;
  const why = reason ?? 'no reason recorded';
  // Its line must be found among the others: the machine was away, and perhaps Oikos with it.
  if (bootBefore !== null && (status === 'completed' || status === 'failed') && reason !== null) {
    const text = `${reason}. ${name} ${status === 'completed' ? 'is done' : 'has failed'}: ${what}.`;
    return { text, rings: status === 'failed' };
  }
  // Lost and stopped work rings: somebody should look at the machine.
  if (status === 'lost') {
    const text = `${name} is lost: ${what} was started, and what became of it is not known (${why}). It is not started again by itself.`;
    return { text, rings: true };
  }
  if (status === 'cancelled' && startedAt !== null && number !== null) {
    return { text: `${name} was stopped while it ran: ${what} (${why}).`, rings: true };
  }
  if (status === 'expired' && cardEvent === null) {
    const text = `${what} was not started in time; nothing ran. Is the daemon running?`;
    return { text, rings: false };
  }
  if (status === 'expired') {
    const text = `${name} has expired, nothing ran: ${what} (${why}).`;
    return { text, rings: false };
  }
  if (status === 'refused' && cardEvent === null) {
    return { text: `${name} was refused, nothing ran: ${what} (${why}).`, rings: false };
  }
  return undefined;
}
