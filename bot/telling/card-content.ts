import { eq } from 'drizzle-orm';
import { isAsProposed } from '../../shared/as-judged.ts';
import { readNow } from '../../shared/db/clock.ts';
import type { ExecutionRow } from '../../shared/db/executions.ts';
import type { OutboxRow } from '../../shared/db/outbox.ts';
import { approvals, executions } from '../../shared/db/schema.ts';
import { taskById } from '../../shared/db/tasks.ts';
import { isFinal } from '../../shared/domain/execution.ts';
import { renderCard } from '../cards/card.ts';
import type { Rendered } from '../cards/document.ts';
import { renderAltered, renderUnaskedRun } from '../cards/lines.ts';
import { cardView } from '../conversation/card-view.ts';
import { contentFor } from '../conversation/content.ts';
import type { MessageContent, OwnMark } from '../conversation/ports.ts';
import { type TellDeps, whoMustAct } from './deps.ts';

/** A card, or the line of a run that has none, as its rows are now. */
export async function cardContent(
  deps: TellDeps,
  execution: ExecutionRow,
  approvalId: string | null,
  msgtype: MessageContent['msgtype'],
): Promise<MessageContent> {
  const waits = approvalId !== null && !isFinal(execution.status);
  const mark: Omit<OwnMark, 'task'> =
    approvalId === null ? { kind: 'line' } : { kind: 'card', approvals: [approvalId] };
  const mentions = waits ? whoMustAct(deps, execution.requestedBy) : [];
  return cardAs(deps, execution, { approvalId, msgtype, mark, mentions });
}

/** The same under another mark: shown once more, it is not the card that reactions count on. */
export async function cardAs(
  deps: TellDeps,
  execution: ExecutionRow,
  as: {
    readonly approvalId: string | null;
    readonly msgtype: MessageContent['msgtype'];
    readonly mark: Omit<OwnMark, 'task'>;
    readonly mentions: readonly string[];
  },
): Promise<MessageContent> {
  const task = await taskById(deps.db, execution.taskId);
  const rendered = await renderExecution(deps, execution, as.approvalId);
  return {
    ...contentFor(task, as.mark, rendered, as.msgtype, as.mentions),
    'io.oikos.card': {
      v: 1,
      execution: execution.id,
      approval: as.approvalId,
      number: execution.number,
      rev: 1,
      hash: execution.specHash,
    },
  };
}

async function renderExecution(
  deps: TellDeps,
  execution: ExecutionRow,
  approvalId: string | null,
): Promise<Rendered> {
  // A card must not show one command while another is decided on.
  if (execution.status === 'pending_approval' && !isAsProposed(execution, deps.seals)) {
    return renderAltered(execution.number ?? 0);
  }
  const view = await cardView(deps.db, execution);
  const options = { now: await readNow(deps.db), timeZone: deps.timeZone };
  return approvalId === null ? renderUnaskedRun(view, options) : renderCard(view, options);
}

/** Shows the present state in the event that shows it already; does nothing where none does. */
export async function refreshCard(
  deps: TellDeps,
  execution: ExecutionRow,
  txnId: string,
): Promise<void> {
  if (execution.cardEvent === null) return;
  const approvalId = await approvalIdOf(deps, execution);
  const msgtype = approvalId === null ? 'm.notice' : 'm.text';
  const content = await cardContent(deps, execution, approvalId, msgtype);
  await deps.room.edit(execution.roomId, execution.cardEvent, content, txnId);
}

export async function executionOf(
  deps: TellDeps,
  row: OutboxRow,
): Promise<ExecutionRow | undefined> {
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
