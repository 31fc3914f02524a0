import { inArray } from 'drizzle-orm';
import { z } from 'zod';
import { readNow } from '../../shared/db/clock.ts';
import type { OutboxRow } from '../../shared/db/outbox.ts';
import { windows } from '../../shared/db/schema.ts';
import { taskById } from '../../shared/db/tasks.ts';
import { WINDOW_KINDS } from '../../shared/domain/window.ts';
import { renderAnswer } from '../cards/answer.ts';
import { type Covered, windowsClosedLine, windowsOpenLine } from '../cards/window-lines.ts';
import { contentFor } from '../conversation/content.ts';
import type { TellDeps } from './deps.ts';

const openedData = z.object({ windowIds: z.array(z.string()) });
const closedData = z.object({
  windows: z.array(z.object({ kind: z.enum(WINDOW_KINDS), object: z.string().nullable() })),
  why: z.string(),
});

/** What one yes covers from now on, and until when. */
export async function tellWindowOpened(deps: TellDeps, row: OutboxRow): Promise<void> {
  const { windowIds } = openedData.parse(row.data);
  const made = await deps.db.select().from(windows).where(inArray(windows.id, windowIds));
  const now = await readNow(deps.db);
  const open = made.filter(({ revokedAt, expiresAt }) => revokedAt === null && expiresAt > now);
  const [first] = open;
  if (first === undefined) return;
  const covered = await coveredBy(deps, row, open);
  const shown = open.map(({ expiresAt }, at) => ({ ...covered[at], until: expiresAt }));
  await tellLine(
    deps,
    row,
    windowsOpenLine(shown, { by: first.openedBy, now, timeZone: deps.timeZone }),
  );
}

/** It covers nothing more, and why. */
export async function tellWindowClosed(deps: TellDeps, row: OutboxRow): Promise<void> {
  const data = closedData.parse(row.data);
  await tellLine(deps, row, windowsClosedLine(await coveredBy(deps, row, data.windows), data.why));
}

async function coveredBy(
  deps: TellDeps,
  row: OutboxRow,
  made: z.infer<typeof closedData>['windows'],
): Promise<Covered[]> {
  const task = row.taskId ? await taskById(deps.db, row.taskId) : undefined;
  return made.map(({ kind, object }) => ({
    task: task?.number,
    object: kind === 'assent' ? null : object,
  }));
}

async function tellLine(deps: TellDeps, row: OutboxRow, text: string): Promise<void> {
  const task = row.taskId ? await taskById(deps.db, row.taskId) : undefined;
  const content = contentFor(task, { kind: 'line' }, renderAnswer(text), 'm.notice');
  await deps.room.send(row.roomId, content, `${row.id}.0`);
}
