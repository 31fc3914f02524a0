import type { ExecutionRow } from '../../shared/db/executions.ts';
import type { OutboxRow } from '../../shared/db/outbox.ts';
import { readOutput } from '../../shared/db/read-output.ts';
import { taskById } from '../../shared/db/tasks.ts';
import { MAX_SHOWN_COMMAND } from '../cards/command-text.ts';
import { codeBlock, line, render } from '../cards/document.ts';
import { MAX_OUTPUT_CHARACTERS, MAX_OUTPUT_LINES } from '../cards/output-text.ts';
import { contentFor } from '../conversation/content.ts';
import type { TellDeps } from './deps.ts';

/** A file that a person opens in a client; more of an output stays in the database. */
const MOST_ATTACHED_BYTES = 1024 * 1024;
/** Body and HTML of a message hold it twice, and a homeserver takes 64 KiB. */
const MOST_SHOWN_BYTES = 12_000;

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
  const text = await longOutput(deps, execution);
  if (text === undefined) return;
  const name = `output-${execution.number}.txt`;
  await attach(deps, row, execution, { name, text, txnId: `${row.id}.o` });
}

/**
 * The same when a run ends, in the thread of its card: out of the conversation's way, and as a
 * notice, because a file rings phones. Only what no message holds becomes one.
 */
export async function threadLongOutput(
  deps: TellDeps,
  row: OutboxRow,
  execution: ExecutionRow,
): Promise<void> {
  const text = execution.cardEvent === null ? undefined : await longOutput(deps, execution);
  if (text === undefined) return;
  const task = await taskById(deps.db, execution.taskId);
  // Threads do not nest: in a thread the output follows its card there.
  const threadRoot = task?.threadRoot ?? execution.cardEvent;
  const txnId = `${row.id}.o`;
  if (Buffer.byteLength(text) > MOST_SHOWN_BYTES) {
    const file = { name: `output-${execution.number}.txt`, text, threadRoot };
    await deps.room.attach(row.roomId, file, txnId);
    return;
  }
  const shown = render([line(`Output of #${execution.number}:`), codeBlock(text.trimEnd())]);
  const place = task && { ...task, threadRoot };
  const content = contentFor(place, { kind: 'line' }, shown, 'm.notice');
  await deps.room.send(row.roomId, content, txnId);
}

/** Undefined where the card shows all of it. */
async function longOutput(deps: TellDeps, execution: ExecutionRow): Promise<string | undefined> {
  if (execution.startedAt === null) return undefined;
  const { both } = await readOutput(deps.db, execution.id, MOST_ATTACHED_BYTES);
  const short = both.length <= MAX_OUTPUT_CHARACTERS && both.split('\n').length <= MAX_OUTPUT_LINES;
  return short ? undefined : both;
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
