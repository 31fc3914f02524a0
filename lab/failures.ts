import { sql } from 'drizzle-orm';
import type { Db } from '../shared/db/client.ts';

/** What went wrong in Oikos itself; a command that fails on a host is no failure of this kind. */
export async function worldFailures(db: Db): Promise<string[]> {
  const { rows } = await db.execute<{ line: string }>(sql`
    select 'a turn failed: ' || coalesce(error, '?') as line from turns where outcome = 'failed'
    union all
    select 'not told: ' || type || ': ' || failed_reason from outbox where failed_reason is not null
    union all
    select 'lost: ' || command from executions where status = 'lost'`);
  return rows.map(({ line }) => line);
}
