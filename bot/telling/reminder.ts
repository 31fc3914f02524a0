import { approvalOfExecution } from '../../shared/db/approvals.ts';
import type { OutboxRow } from '../../shared/db/outbox.ts';
import { taskById } from '../../shared/db/tasks.ts';
import { contentFor } from '../conversation/content.ts';
import { executionOf } from './card-content.ts';
import { type TellDeps, whoMustAct } from './deps.ts';
import { pendingLines } from './pending.ts';

/** A card that nobody has answered rings once more; words bind to this line as to the card. */
export async function tellReminder(deps: TellDeps, row: OutboxRow): Promise<void> {
  const execution = await executionOf(deps, row);
  const approval = execution && (await approvalOfExecution(deps.db, execution.id));
  if (!(execution && approval?.status === 'pending')) return;
  const task = await taskById(deps.db, execution.taskId);
  const lines = pendingLines([{ approval, execution }]);
  const mark = { kind: 'reminder', approvals: [approval.id] } as const;
  const mentions = whoMustAct(deps, execution.requestedBy);
  const content = contentFor(task, mark, lines, 'm.text', mentions);
  await deps.room.send(row.roomId, content, `${row.id}.0`);
}
