import { and, desc, eq, gt } from 'drizzle-orm';
import type { Db } from '../../shared/db/client.ts';
import { eventById, type InboxRow, messagesBetween } from '../../shared/db/inbox.ts';
import { approvals, decisions, executions } from '../../shared/db/schema.ts';
import { stopExecution } from '../../shared/stop.ts';
import { takeBack } from '../../shared/take-back.ts';

/**
 * "oops" as the next word after one's own yes: what has not started is called off, what runs is
 * stopped, and what that yes opened closes. Undefined where it follows no yes of the speaker.
 */
export async function undoLast(db: Db, row: InboxRow): Promise<string | undefined> {
  const last = await lastYes(db, row);
  if (!last) return undefined;
  const { eventId, by } = last;
  const called = await takeBack(db, { eventId, by, because: `${by} said oops` });
  const stopped: number[] = [];
  const ended: string[] = [];
  for (const { execution } of await grantedBy(db, eventId)) {
    const { id, number, taskId, status } = execution;
    if (number === null || called.includes(number)) continue;
    if (await stopExecution(db, { id, taskId }, by, row.eventId)) stopped.push(number);
    else ended.push(`#${number} (${status})`);
  }
  const parts = [
    called.length > 0 ? `called off ${list(called)}, nothing ran` : '',
    stopped.length > 0 ? `stopping ${list(stopped)}` : '',
    ended.length > 0 ? `too late for ${ended.join(', ')}` : '',
  ].filter((part) => part !== '');
  return `Your yes is taken back: ${parts.join('; ')}.`;
}

/** The speaker's latest yes in this room, if nothing of theirs stands between it and these words. */
async function lastYes(
  db: Db,
  row: InboxRow,
): Promise<{ eventId: string; by: string } | undefined> {
  const [yes] = await db
    .select({ eventId: decisions.eventId })
    .from(decisions)
    .innerJoin(approvals, eq(approvals.id, decisions.approvalId))
    .where(
      and(
        eq(approvals.roomId, row.roomId),
        eq(decisions.by, row.sender),
        eq(decisions.decision, 'granted'),
        gt(decisions.at, new Date(row.receivedAt.getTime() - 60 * 60_000)),
      ),
    )
    .orderBy(desc(decisions.at))
    .limit(1);
  const event = yes?.eventId ? await eventById(db, yes.eventId) : undefined;
  if (!event) return undefined;
  const between = await messagesBetween(db, row.roomId, event.seq, row.seq);
  const spoke = between.some(({ sender }) => sender === row.sender);
  return spoke ? undefined : { eventId: event.eventId, by: row.sender };
}

function grantedBy(db: Db, eventId: string) {
  return db
    .select({ execution: executions })
    .from(decisions)
    .innerJoin(approvals, eq(approvals.id, decisions.approvalId))
    .innerJoin(executions, eq(executions.id, approvals.executionId))
    .where(and(eq(decisions.eventId, eventId), eq(decisions.decision, 'granted')));
}

function list(numbers: readonly number[]): string {
  return numbers.map((number) => `#${number}`).join(', ');
}
