import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type SQL, sql } from 'drizzle-orm';
import { describe, expect, it } from 'vitest';
import type { windows } from '../../shared/db/schema.ts';
import { oneExecutor, type World, world } from '../support/daemon-world.ts';
import { openWindow } from '../support/open-window.ts';
import { sshdForTests } from '../support/sshd-for-tests.ts';

const ssh = sshdForTests('altered-rows');

interface Case {
  readonly home: World;
  readonly id: string;
}

const authorized = (value: unknown) => sql`"authorization" = ${JSON.stringify(value)}::jsonb`;

async function underWindow(at: Case, more: Partial<typeof windows.$inferInsert> = {}) {
  return authorized({ kind: 'window', windowId: await openWindow(at, more) });
}

const minute = (count: number) => new Date(Date.now() + count * 60_000);

const alterations: [string, (at: Case) => SQL | Promise<SQL>, RegExp][] = [
  ['the command', () => sql`command = command || ' -v'`, /not what was judged/],
  ['the shell', () => sql`dialect = 'posix'`, /not what was judged/],
  ['the target', () => sql`target_slug = 'host:attic'`, /not what was judged/],
  ['the host', () => sql`host_slug = 'host:attic'`, /not what was judged/],
  ['the kind of target', () => sql`target_kind = 'lxc'`, /target is incomplete/],
  ['the class, to a milder one', () => sql`risk = 'read_only'`, /counts as config_mutation now/],
  [
    'the authorization, to one for reading',
    () => authorized({ kind: 'read_only' }),
    /needs an approval/,
  ],
  [
    "the authorization, to another execution's approval",
    async ({ home }) => {
      const other = await home.approve({ command: 'touch /tmp/x' });
      return sql`"authorization" = (select "authorization" from executions where id = ${other})`;
    },
    /approval is not there/,
  ],
  [
    'the authorization, to nothing',
    () => sql`"authorization" = null`,
    /nothing says by what it may run/,
  ],
  [
    'the authorization, to an unknown kind',
    () => authorized({ kind: 'standing_order' }),
    /nothing says by what it may run/,
  ],
  [
    'the authorization, to no id at all',
    () => authorized({ kind: 'approval' }),
    /nothing says by what it may run/,
  ],
  [
    'the authorization, to an id that is none',
    () => authorized({ kind: 'window', windowId: "' or 1=1" }),
    /nothing says by what it may run/,
  ],
  [
    'the authorization, to a window that is not there',
    () => authorized({ kind: 'window', windowId: randomUUID() }),
    /does not exist/,
  ],
  ['its window, which ended', (at) => underWindow(at, { expiresAt: minute(-1) }), /is closed/],
  ['its window, which was closed', (at) => underWindow(at, { revokedAt: minute(-1) }), /is closed/],
  [
    'its window, opened after it was proposed',
    (at) => underWindow(at, { openedAt: minute(0) }),
    /before the window opened/,
  ],
  [
    "its window, to another task's",
    (at) => underWindow(at, { taskId: randomUUID() }),
    /does not cover it/,
  ],
  [
    "its window, to another agent's",
    (at) => underWindow(at, { agent: 'other' }),
    /does not cover it/,
  ],
  [
    'its window, to one that does not cover the class it was judged',
    async (at) => sql`${await underWindow(at)}, risk = 'destructive'`,
    /does not cover it/,
  ],
  [
    'its window, to one that does not cover what the gate objected to',
    async (at) => sql`${await underWindow(at)}, gate = jsonb_set(gate, '{flags}', '["egress"]')`,
    /does not cover it/,
  ],
];

describe('nothing runs when somebody changed', () => {
  it.each(alterations)('%s', async (_claim, alter, reason) => {
    const home = await world();
    const executor = await oneExecutor(home, ssh);
    const file = join(ssh.files, `altered-${home.site}`);
    const id = await home.approve({ command: `touch ${file}`, declaredRisk: 'config_mutation' });
    await home.db.execute(sql`update executions set ${await alter({ home, id })} where id = ${id}`);
    await executor.execute(id);
    expect(await home.row(id)).toMatchObject({
      status: 'refused',
      reason: expect.stringMatching(reason),
      startedAt: null,
    });
    expect(existsSync(file)).toBe(false);
  });
});

it('a reading command that was judged stricter does not run by reading alone', async () => {
  const home = await world();
  const executor = await oneExecutor(home, ssh);
  const id = await home.approve({ command: 'uptime', risk: 'config_mutation' });
  await home.db.execute(sql`update executions set ${authorized({ kind: 'read_only' })}`);
  await executor.execute(id);
  expect(await home.row(id)).toMatchObject({
    status: 'refused',
    reason: 'it needs an approval: it is config_mutation',
  });
});
