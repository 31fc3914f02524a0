import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'drizzle-orm';
import type { Db } from '../shared/db/client.ts';

const CALM_MS = 250;

/** What still moves: events not handled, turns, commands, things not told. Waiting cards are calm. */
async function moving(db: Db): Promise<string[]> {
  const { rows } = await db.execute<{ what: string; n: string }>(sql`
    select 'inbox' as what, count(*) as n from matrix_inbox where status = 'new'
    union all select 'turns', count(*) from turns where status <> 'ended'
    union all select 'executions', count(*) from executions where status in ('proposed', 'approved', 'running')
    union all select 'outbox', count(*) from outbox where told_at is null and failed_reason is null`);
  return rows.filter(({ n }) => Number(n) > 0).map(({ what, n }) => `${what}: ${n}`);
}

export class NotIdle extends Error {
  override readonly name = 'NotIdle';
}

/** Resolves once the event was handled and nothing has moved for a moment. */
export async function untilIdle(
  db: Db,
  { eventId, patienceMs = 60_000 }: { eventId?: string; patienceMs?: number },
): Promise<void> {
  const deadline = performance.now() + patienceMs;
  let calmSince: number | undefined;
  for (;;) {
    const busy = await moving(db);
    if (eventId !== undefined && !(await wasHandled(db, eventId))) busy.push('message not read');
    const now = performance.now();
    if (busy.length > 0) calmSince = undefined;
    else calmSince ??= now;
    if (calmSince !== undefined && now - calmSince >= CALM_MS) return;
    if (now > deadline) throw new NotIdle(`still busy after ${patienceMs} ms: ${busy.join(', ')}`);
    await sleep(40);
  }
}

async function wasHandled(db: Db, eventId: string): Promise<boolean> {
  const { rows } = await db.execute<{ status: string }>(
    sql`select status from matrix_inbox where event_id = ${eventId}`,
  );
  return rows[0]?.status === 'done';
}
