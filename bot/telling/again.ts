import type { OutboxRow } from '../../shared/db/outbox.ts';
import { attachLongCommand, attachLongOutput } from './attach.ts';
import { cardAs, executionOf } from './card-content.ts';
import type { TellDeps } from './deps.ts';

/** The card once more, because somebody asked for it, with all that did not fit. */
export async function tellAgain(deps: TellDeps, row: OutboxRow): Promise<void> {
  const execution = await executionOf(deps, row);
  if (!execution) return;
  const { approvalId } = row;
  const waits = approvalId !== null && execution.status === 'pending_approval';
  const content = await cardAs(deps, execution, {
    approvalId,
    msgtype: 'm.notice',
    mark: waits ? { kind: 'reminder', approvals: [approvalId] } : { kind: 'line' },
    mentions: [],
  });
  const shown = await deps.room.send(row.roomId, content, `${row.id}.0`);
  await attachLongCommand(deps, row, execution);
  await attachLongOutput(deps, row, execution, shown);
}
