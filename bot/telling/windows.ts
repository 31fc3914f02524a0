import { eq } from 'drizzle-orm';
import { z } from 'zod';
import { readNow } from '../../shared/db/clock.ts';
import type { OutboxRow } from '../../shared/db/outbox.ts';
import { windows } from '../../shared/db/schema.ts';
import { taskById } from '../../shared/db/tasks.ts';
import { WINDOW_KINDS } from '../../shared/domain/window.ts';
import { renderAnswer } from '../cards/answer.ts';
import { minutesLeft, timeText } from '../cards/time-text.ts';
import { contentFor } from '../conversation/content.ts';
import type { TellDeps } from './deps.ts';

const openedData = z.object({ windowId: z.string() });
const closedData = z.object({
  kind: z.enum(WINDOW_KINDS),
  object: z.string().nullable(),
  why: z.string(),
});

/** What an earlier yes covers from now on, and until when. */
export async function tellWindowOpened(deps: TellDeps, row: OutboxRow): Promise<void> {
  const { windowId } = openedData.parse(row.data);
  const [window] = await deps.db.select().from(windows).where(eq(windows.id, windowId));
  const now = await readNow(deps.db);
  if (!window || window.revokedAt !== null || window.expiresAt <= now) return;
  const until = `${timeText(window.expiresAt, deps.timeZone)} (${minutesLeft(window.expiresAt, now)})`;
  const what = await coverage(deps, row, window);
  const runs = window.kind === 'assent' ? 'run' : 'runs';
  const text = `Window open until ${until}: ${what} ${runs} at once, by ${window.openedBy}'s yes. !oikos revoke closes it.`;
  await tellLine(deps, row, text);
}

/** It covers nothing more, and why. */
export async function tellWindowClosed(deps: TellDeps, row: OutboxRow): Promise<void> {
  const data = closedData.parse(row.data);
  const what = await coverage(deps, row, data);
  await tellLine(
    deps,
    row,
    `Window closed, ${data.why}: ${what} ${data.kind === 'assent' ? 'ask' : 'asks'} again.`,
  );
}

async function coverage(
  deps: TellDeps,
  row: OutboxRow,
  { kind, object }: { kind: (typeof WINDOW_KINDS)[number]; object: string | null },
): Promise<string> {
  const task = row.taskId ? await taskById(deps.db, row.taskId) : undefined;
  const of = task ? ` of T${task.number}` : '';
  return kind === 'assent' ? `further changes${of}` : `further work${of} on ${object}`;
}

async function tellLine(deps: TellDeps, row: OutboxRow, text: string): Promise<void> {
  const task = row.taskId ? await taskById(deps.db, row.taskId) : undefined;
  const content = contentFor(task, { kind: 'line' }, renderAnswer(text), 'm.notice');
  await deps.room.send(row.roomId, content, `${row.id}.0`);
}
