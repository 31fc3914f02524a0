import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type SQL, sql } from 'drizzle-orm';
import { expect, it } from 'vitest';
import type { Executor } from '../../daemon/executor.ts';
import { recoverOrphans } from '../../daemon/recovery.ts';
import { oneExecutor, type World, world } from '../support/daemon-world.ts';
import { sshdForTests } from '../support/sshd-for-tests.ts';

const ssh = sshdForTests('forged-runs');

const file = ({ site }: World) => join(ssh.files, `made-${site}`);

/** A change that was granted, its row then set to `running` under a holder that is gone. */
async function runningRow(change: SQL = sql`reason = reason`) {
  const home = await world();
  const executor = await oneExecutor(home, ssh);
  const id = await home.approve({ command: `echo ran >> ${file(home)}` });
  await home.db.execute(sql`
    update executions set status = 'running', started_at = oikos_now(), owner = 'gone/1',
      lease_until = oikos_now() - interval '1 minute', ${change}
    where id = ${id}`);
  return { home, executor, id };
}

async function recover(home: World, executor: Executor): Promise<void> {
  const adopted: Promise<unknown>[] = [];
  await recoverOrphans(home.db, {
    daemon: 'e0',
    owner: 'e0/1',
    site: home.site,
    holds: executor.holds,
    adopt: (run) => void adopted.push(executor.adopt(run)),
  });
  expect(adopted).toHaveLength(1);
  await Promise.all(adopted);
}

it('a row that only says that it runs starts nothing, now or later', async () => {
  const { home, executor, id } = await runningRow();
  await recover(home, executor);
  expect(await home.row(id)).toMatchObject({
    status: 'failed',
    reason: 'nothing was started: it had not begun on its host',
  });
  // Set back once more: the ledger knows of its end.
  await home.db.execute(sql`update executions set status = 'approved' where id = ${id}`);
  await executor.execute(id);
  expect((await home.row(id)).status).toBe('refused');
  expect(existsSync(file(home))).toBe(false);
});

it.each<[string, SQL]>([
  ['another command', sql`command = command || ' # other'`],
  ['another host', sql`host_slug = 'host:attic'`],
  ['another room', sql`room_id = '!other:test'`],
  ['a seal of nobody', sql`seal = null`],
])('a run is not looked for by a row that has %s', async (_what, change) => {
  const { home, executor, id } = await runningRow(change);
  await recover(home, executor);
  expect(await home.row(id)).toMatchObject({
    status: 'lost',
    reason: 'its row was changed in the database; what it did is not known',
  });
  expect(existsSync(file(home))).toBe(false);
});
