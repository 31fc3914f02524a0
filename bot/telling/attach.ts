import type { ExecutionRow } from '../../shared/db/executions.ts';
import type { OutboxRow } from '../../shared/db/outbox.ts';
import { readOutput } from '../../shared/db/read-output.ts';
import { taskById } from '../../shared/db/tasks.ts';
import { MAX_SHOWN_COMMAND } from '../cards/command-text.ts';
import { MAX_OUTPUT_CHARACTERS, MAX_OUTPUT_LINES } from '../cards/output-text.ts';
import type { TellDeps } from './deps.ts';

/** A file that a person opens in a client; more of an output stays in the database. */
const MOST_ATTACHED_BYTES = 1024 * 1024;

/** A card that shows only the head of a command has the whole of it below. */
export async function attachLongCommand(
  deps: TellDeps,
  row: OutboxRow,
  execution: ExecutionRow,
): Promise<void> {
  if (execution.command.length <= MAX_SHOWN_COMMAND) return;
  await attach(deps, row, execution, {
    name: `command-${execution.number}.sh`,
    text: execution.command,
    txnId: `${row.id}.f`,
  });
}

/** The whole output, where its card shows the last lines only; secrets were masked when it was stored. */
export async function attachLongOutput(
  deps: TellDeps,
  row: OutboxRow,
  execution: ExecutionRow,
): Promise<void> {
  if (execution.startedAt === null) return;
  const { both } = await readOutput(deps.db, execution.id, MOST_ATTACHED_BYTES);
  const short = both.length <= MAX_OUTPUT_CHARACTERS && both.split('\n').length <= MAX_OUTPUT_LINES;
  if (short) return;
  await attach(deps, row, execution, {
    name: `output-${execution.number}.txt`,
    text: both,
    txnId: `${row.id}.o`,
  });
}

async function attach(
  deps: TellDeps,
  row: OutboxRow,
  execution: ExecutionRow,
  { name, text, txnId }: { name: string; text: string; txnId: string },
): Promise<void> {
  const task = await taskById(deps.db, execution.taskId);
  const file = { name, text, threadRoot: task?.threadRoot ?? null };
  await deps.room.attach(row.roomId, file, txnId);
}
