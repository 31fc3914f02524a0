import { and, desc, eq, inArray, isNotNull } from 'drizzle-orm';
import { pendingCards } from '../../../shared/db/approvals.ts';
import type { Db } from '../../../shared/db/client.ts';
import { readNow } from '../../../shared/db/clock.ts';
import { fleetEntities } from '../../../shared/db/entities.ts';
import { roomById, whyUndecided } from '../../../shared/db/rooms.ts';
import { executions, outbox } from '../../../shared/db/schema.ts';
import { openTasks } from '../../../shared/db/tasks.ts';
import { openWindowsOfRoom } from '../../../shared/db/windows.ts';
import { typedSentence } from '../../../shared/domain/approval.ts';
import { commandSummary } from '../../cards/command-text.ts';
import type { ConversationDeps } from '../deps.ts';
import { type Command, saying } from './command.ts';
import { windowLine } from './windows.ts';

/** What waits, runs and is open in this room, and what the fleet is. */
export const status: Command = {
  names: ['status'],
  usage: 'status',
  about: 'what waits, what runs, what is open, and the fleet',
  operatorsOnly: false,
  async run({ deps, text: { roomId } }) {
    const { db } = deps;
    const now = await readNow(db);
    const cards = await pendingCards(db, roomId);
    const tasks = await openTasks(db, roomId);
    const windows = await openWindowsOfRoom(db, roomId, now);
    const fleet = await fleetEntities(db);
    const lines = [
      ...(await roomLines(deps, roomId)),
      `Tasks: ${tasks.map((task) => `T${task.number} (${task.status})`).join(', ') || 'none open'}`,
      `Waiting for you: ${cards.length === 0 ? 'nothing' : ''}`,
      ...cards.map(({ approval, execution }) => {
        const { phraseVerb: verb, phraseObject: object } = approval;
        const how =
          verb && object
            ? `type ${typedSentence({ verb, object })}`
            : `say yes #${execution.number}`;
        return `- #${execution.number} ${commandSummary(execution.command)} on ${execution.targetSlug}: ${how}`;
      }),
      ...(await runningLines(db, roomId)),
      ...windows.map((window) => `Open window: ${windowLine(window, now, deps.timeZone)}`),
      ...(await undelivered(db)),
      `Fleet: ${fleet.map(({ slug }) => slug).join(', ') || 'empty (is the daemon running?)'}`,
    ];
    return saying(lines.join('\n'));
  },
};

async function roomLines(
  { db, seals }: Pick<ConversationDeps, 'db' | 'seals'>,
  roomId: string,
): Promise<string[]> {
  const room = await roomById(db, roomId);
  const undecided = await whyUndecided(db, roomId, seals);
  return [
    ...(undecided === undefined ? [] : [`Nothing is decided here: ${undecided}.`]),
    ...(room?.pausedAt ? [`Paused by ${room.pausedBy}: !oikos resume lets me go on.`] : []),
  ];
}

async function runningLines(db: Db, roomId: string): Promise<string[]> {
  const rows = await db
    .select()
    .from(executions)
    .where(and(eq(executions.roomId, roomId), inArray(executions.status, ['approved', 'running'])))
    .orderBy(executions.proposedAt)
    .limit(20);
  return rows.map(
    ({ number, command, targetSlug, status: state }) =>
      `${state === 'running' ? 'Running' : 'Starts soon'}: ${number === null ? 'a look' : `#${number}`} ${commandSummary(command)} on ${targetSlug}`,
  );
}

/** What rooms refused for good would otherwise be seen by nobody. */
async function undelivered(db: Db): Promise<string[]> {
  const failed = isNotNull(outbox.failedReason);
  const [last] = await db.select().from(outbox).where(failed).orderBy(desc(outbox.seq)).limit(1);
  if (!last) return [];
  const count = await db.$count(outbox, failed);
  return [
    `Not delivered: ${count}, the last in ${last.roomId} (${last.failedReason?.slice(0, 120)})`,
  ];
}
