import type { ExecutionRow } from '../../shared/db/executions.ts';
import type { OutboxRow } from '../../shared/db/outbox.ts';
import { readOutput } from '../../shared/db/read-output.ts';
import { taskById } from '../../shared/db/tasks.ts';
import { MAX_SHOWN_COMMAND } from '../cards/command-text.ts';
import { MAX_OUTPUT_CHARACTERS, MAX_OUTPUT_LINES } from '../cards/output-text.ts';
import type { TellDeps } from './deps.ts';

/** Of beginning and end, for a person who opens it in a client; the rest stays in the database. */
const MOST_ATTACHED_BYTES = 1024 * 1024;

/** A card that shows only the head of a command has the whole of it below. */
export async function attachLongCommand(
  deps: TellDeps,
  row: OutboxRow,
  execution: ExecutionRow,
): Promise<void> {
  const { number, command } = execution;
  if (command.length <= MAX_SHOWN_COMMAND) return;
  const task = await taskById(deps.db, execution.taskId);
  const file = {
    name: `command-${number}.sh`,
    text: command,
    about: `The whole command of #${number}.`,
    thread: task?.threadRoot == null ? null : { root: task.threadRoot },
  };
  await deps.room.attach(row.roomId, file, `${row.id}.f`);
}

/**
 * The whole output, where its card shows the last lines only: in the thread under the card, so that
 * the room stays readable. Secrets were masked when it was stored.
 */
export async function attachLongOutput(
  deps: TellDeps,
  row: OutboxRow,
  execution: ExecutionRow,
  card: string | null,
): Promise<void> {
  if (execution.startedAt === null || card === null) return;
  const { both, cut } = await readOutput(deps.db, execution.id, MOST_ATTACHED_BYTES);
  const lines = both.replace(/\n+$/, '').split('\n').length;
  if (both.length <= MAX_OUTPUT_CHARACTERS && lines <= MAX_OUTPUT_LINES) return;
  const task = await taskById(deps.db, execution.taskId);
  const what = cut || execution.outputCut ? 'Beginning and end' : 'The whole';
  const file = {
    name: `output-${execution.number}.txt`,
    text: both,
    about: `${what} of the output of #${execution.number}, ${lines} lines.`,
    // Threads do not nest: in one, the output answers its card.
    thread: task?.threadRoot == null ? { root: card } : { root: task.threadRoot, replyTo: card },
  };
  await deps.room.attach(row.roomId, file, `${row.id}.o`);
}
