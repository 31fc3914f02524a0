import type { ExecutionRow } from '../../shared/db/executions.ts';
import type { OutboxRow } from '../../shared/db/outbox.ts';
import { readOutput } from '../../shared/db/read-output.ts';
import { type TaskRow, taskById } from '../../shared/db/tasks.ts';
import { MAX_SHOWN_COMMAND } from '../cards/command-text.ts';
import { codeBlock, line, render } from '../cards/document.ts';
import { MAX_OUTPUT_CHARACTERS, MAX_OUTPUT_LINES } from '../cards/output-text.ts';
import { contentFor } from '../conversation/content.ts';
import type { AttachedText } from '../conversation/ports.ts';
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

/** The whole output as a file in the thread of a card, where that shows the last lines only. */
export async function attachLongOutput(
  deps: TellDeps,
  row: OutboxRow,
  execution: ExecutionRow,
  card: string,
): Promise<void> {
  const output = await longOutput(deps, execution);
  if (output === undefined) return;
  const task = await taskById(deps.db, execution.taskId);
  const file = outputFile(execution, output, threadOf(task, card));
  await deps.room.attach(row.roomId, file, `${row.id}.o`);
}

/**
 * The same when a run ends, as a notice; only what no message holds becomes a file. Secrets were
 * masked when it was stored.
 */
export async function threadLongOutput(
  deps: TellDeps,
  row: OutboxRow,
  execution: ExecutionRow,
): Promise<void> {
  const { cardEvent } = execution;
  const output = cardEvent === null ? undefined : await longOutput(deps, execution);
  if (cardEvent === null || output === undefined) return;
  const task = await taskById(deps.db, execution.taskId);
  const text = output.text.trimEnd();
  const shown = render([line(`Output of #${execution.number}:`), codeBlock(text)]);
  const place = task && { ...task, threadRoot: task.threadRoot ?? cardEvent };
  const content = contentFor(place, { kind: 'line' }, shown, 'm.notice');
  if (!deps.room.fits(content)) return attachLongOutput(deps, row, execution, cardEvent);
  await deps.room.send(row.roomId, content, `${row.id}.o`);
}

interface LongOutput {
  readonly text: string;
  readonly lines: number;
  readonly cut: boolean;
}

/** Undefined where the card shows all of it. */
async function longOutput(
  { db }: TellDeps,
  execution: ExecutionRow,
): Promise<LongOutput | undefined> {
  if (execution.startedAt === null) return undefined;
  const { both, cut } = await readOutput(db, execution.id, MOST_ATTACHED_BYTES);
  const lines = both.replace(/\n+$/, '').split('\n').length;
  const short = both.length <= MAX_OUTPUT_CHARACTERS && lines <= MAX_OUTPUT_LINES;
  return short ? undefined : { text: both, lines, cut: cut || execution.outputCut };
}

function outputFile(
  { number }: ExecutionRow,
  { text, lines, cut }: LongOutput,
  thread: AttachedText['thread'],
): AttachedText {
  const what = cut ? 'Beginning and end' : 'The whole';
  const about = `${what} of the output of #${number}, ${lines} lines.`;
  return { name: `output-${number}.txt`, text, about, thread };
}

/** Threads do not nest: in one, the output answers its card. */
function threadOf(task: TaskRow | undefined, card: string): AttachedText['thread'] {
  return task?.threadRoot == null ? { root: card } : { root: task.threadRoot, replyTo: card };
}
