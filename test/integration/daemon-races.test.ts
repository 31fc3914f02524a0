import { readFileSync, writeFileSync } from 'node:fs';
import { connect as connectSocket, createServer } from 'node:net';
import { join } from 'node:path';
import { sql } from 'drizzle-orm';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { connectDoorbell } from '../../shared/queue/executions.ts';
import { daemonProcess } from '../support/daemon-process.ts';
import { daemonFor, oneExecutor, type World, world } from '../support/daemon-world.ts';
import { sshdForTests } from '../support/sshd-for-tests.ts';

const ssh = sshdForTests('daemon-races');

it('two daemons and three rings a row start each of 50 commands once', async () => {
  const home = await world();
  const daemons = await Promise.all(
    ['left', 'right'].map((side) => daemonProcess(home, ssh, { name: `${home.site}-${side}` })),
  );
  const bell = connectDoorbell(inject('redisUrl'), { onError: () => undefined });
  onTestFinished(() => bell.close());
  const file = join(ssh.files, `fifty-${home.site}`);
  writeFileSync(file, '');
  const ids = await Promise.all(
    Array.from({ length: 50 }, (_none, number) =>
      home.approve({ command: `echo ${number} >> ${file}` }),
    ),
  );
  const ring = (id: string) => bell.ring({ id, site: home.site });
  await Promise.all([...ids, ...ids, ...ids].map(ring));
  const rows = await Promise.all(ids.map((id) => home.ended(id, 50_000)));
  expect(rows.map(({ status }) => status)).toEqual(ids.map(() => 'completed'));
  const lines = readFileSync(file, 'utf8').trim().split('\n').map(Number);
  expect(lines.sort((a, b) => a - b)).toEqual(ids.map((_none, number) => number));
  expect(daemons.map(({ child }) => child.exitCode)).toEqual([null, null]);
}, 90_000);

/**
 * A way to the database that breaks in the moment in which a transaction that claimed is committed:
 * the commit arrives, its answer does not. Once.
 */
async function lossyWay(url: string): Promise<string> {
  const server = new URL(url);
  const { hostname: host, port } = server;
  let armed = true;
  const proxy = createServer((near) => {
    const far = connectSocket({ host, port: Number(port) });
    let claimed = false;
    near.on('data', (chunk) => {
      claimed ||=
        chunk.includes('insert into "audit_events"') && chunk.includes('execution.claimed');
      far.write(chunk);
      if (armed && claimed && chunk.includes('commit')) {
        armed = false;
        near.destroy();
        // The far side may finish what it was told.
        setTimeout(() => far.destroy(), 300);
      }
    });
    far.on('data', (chunk) => {
      if (!near.destroyed) near.write(chunk);
    });
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      one.on('error', () => undefined);
      one.on('close', () => {
        if (one === far || armed || !claimed) other.destroy();
      });
    }
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void proxy.close());
  const address = proxy.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  server.port = `${address.port}`;
  return server.href;
}

/** Status changes that others were told of, in order. */
async function ledger({ db }: World, id: string): Promise<string[]> {
  const { rows } = await db.execute<{ kind: string }>(
    sql`select kind from audit_events where execution_id = ${id} order by seq`,
  );
  return rows.map(({ kind }) => kind);
}

describe('no run is running for ever', () => {
  it('when the answer to its claim was lost: nothing was started, and that is said', async () => {
    const home = await world();
    const through = await world(await lossyWay(home.url));
    const executor = await oneExecutor({ ...through, site: home.site }, ssh);
    const file = join(ssh.files, `claim-${home.site}`);
    const id = await home.approve({ command: `touch ${file}`, declaredRisk: 'config_mutation' });
    await executor.execute(id);
    expect(await home.row(id)).toMatchObject({
      status: 'refused',
      reason: 'the database broke in the middle of the start; nothing was started',
    });
    expect(await ledger(home, id)).toEqual(['execution.claimed', 'execution.refused']);
  });

  it('when this daemon itself has lost hold of it, or another one died with it', async () => {
    const home = await world();
    const { ring } = await daemonFor(home, ssh);
    const first = await home.approve({ command: 'uptime' });
    await ring(first);
    const { owner } = await home.ended(first);
    const changing = { command: 'touch /tmp/never', declaredRisk: 'config_mutation' } as const;
    const [changes, reads, others] = [
      await home.approve(changing),
      await home.approve({ command: 'uptime' }),
      await home.approve(changing),
    ];
    const claim = (id: string, by: string | null, lease: string) =>
      home.db.execute(
        sql`update executions set status = 'running', owner = ${by},
          lease_until = oikos_now() + ${lease}::interval where id = ${id}`,
      );
    await claim(changes, owner, '20 s');
    await claim(reads, owner, '20 s');
    await claim(others, 'elsewhere/1', '-1 s');
    expect([
      await home.ended(changes),
      await home.ended(reads),
      await home.ended(others),
    ]).toMatchObject([
      { status: 'failed', reason: 'nothing was started: it had not begun on its host' },
      { status: 'failed', reason: 'its end could not be stored; safe to ask again' },
      { status: 'failed', reason: 'nothing was started: it had not begun on its host' },
    ]);
  });
});
