import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { asc, eq, sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { freePort } from '../../lab/services/free-port.ts';
import { startPostgres } from '../../lab/services/postgres.ts';
import { ensurePython } from '../../lab/services/python.ts';
import { until } from '../../lab/services/until.ts';
import { startValkey } from '../../lab/services/valkey.ts';
import { lockExecution } from '../../shared/db/executions.ts';
import { migrateDatabase } from '../../shared/db/migrate.ts';
import { outbox } from '../../shared/db/schema.ts';
import { connectDoorbell } from '../../shared/queue/executions.ts';
import { daemonProcess } from '../support/daemon-process.ts';
import { type World, world } from '../support/daemon-world.ts';
import { type PlainSshd, startPlainSshd } from '../support/plain-sshd.ts';

let dir: string;
let sshd: PlainSshd;
beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'oikos-services-'));
  sshd = await startPlainSshd(dir);
});
afterAll(() => {
  sshd.cut();
  rmSync(dir, { recursive: true, force: true });
});

/** A queue server that a test may stop and start. */
async function ownValkey() {
  const { valkeyServer } = await ensurePython({ root: process.cwd(), say: () => undefined });
  const port = await freePort();
  const options = { dir: join(dir, `valkey-${port}`), valkeyServer, persist: false, port };
  let server = await startValkey(options);
  onTestFinished(() => server.stop());
  return {
    url: server.url,
    stop: () => server.stop(),
    async start() {
      server = await startValkey(options);
    },
  };
}

async function told(home: World, id: string): Promise<string[]> {
  const rows = await home.db
    .select()
    .from(outbox)
    .where(eq(outbox.executionId, id))
    .orderBy(asc(outbox.seq));
  return rows.map(({ type }) => type);
}

describe('the queue', () => {
  it('may be emptied, stopped and started again: what was approved runs once', async () => {
    const home = await world();
    const valkey = await ownValkey();
    const daemon = await daemonProcess(home, { sshd }, { redisUrl: valkey.url });
    const bell = connectDoorbell(valkey.url, { onError: () => undefined });
    onTestFinished(() => bell.close());
    const file = join(dir, `queue-${home.site}`);
    const approve = (word: string) => home.approve({ command: `echo ${word} >> ${file}` });

    const rung = await approve('rung');
    await bell.ring({ id: rung, site: home.site });
    await bell.ring({ id: rung, site: home.site });
    await home.ended(rung);
    await valkey.stop();
    const down = await approve('down');
    await bell.ring({ id: down, site: home.site });
    await home.ended(down);
    await until(async () =>
      expect(await (await daemon.get('/readyz')).json()).toEqual({
        ready: false,
        missing: { queue: 'the queue does not answer' },
      }),
    );
    await valkey.start();
    await until(async () => expect(await bell.ping()).toBe(true));
    const back = await approve('back');
    await bell.ring({ id: back, site: home.site });
    await home.ended(back);
    await until(async () => expect((await daemon.get('/readyz')).status).toBe(200));
    expect(readFileSync(file, 'utf8')).toBe('rung\ndown\nback\n');
    expect((await daemon.end()).code).toBe(0);
  });

  it('being gone does not hold up the end, and a run in hand is left to the next life', async () => {
    const home = await world();
    const valkey = await ownValkey();
    const daemon = await daemonProcess(home, { sshd }, { redisUrl: valkey.url });
    const file = join(dir, `go-${home.site}`);
    const id = await home.approve({
      command: `echo begun; while ! test -e ${file}; do sleep 0.1; done; echo end`,
      declaredRisk: 'config_mutation',
    });
    await until(async () => expect(await home.output(id, 'stdout')).toBe('begun\n'));
    await valkey.stop();
    const { code, ms } = await daemon.end();
    expect(code).toBe(0);
    expect(ms).toBeLessThan(10_000);
    expect(await home.row(id)).toMatchObject({ status: 'running', endedAt: null });
    await valkey.start();
    writeFileSync(file, '');
    await daemonProcess(home, { sshd }, { redisUrl: valkey.url, name: `${home.site}-other` });
    expect(await home.ended(id)).toMatchObject({ status: 'completed', exitCode: 0 });
    expect(await home.output(id, 'stdout')).toBe('begun\nend\n');
    expect(await told(home, id)).toEqual(['execution.running', 'execution.ended']);
  });
});

describe('the database', () => {
  it('may restart under a run: its end and its output are recorded', async () => {
    const port = await freePort();
    const options = { dir: join(dir, `pg-${port}`), keep: 'throwaway', port } as const;
    let server = await startPostgres(options);
    onTestFinished(() => server.stop());
    await migrateDatabase(server.url);
    const home = await world(server.url);
    const daemon = await daemonProcess(home, { sshd });
    const file = join(dir, `pg-${home.site}`);
    const id = await home.approve({
      command: `echo begin; while ! test -e ${file}; do sleep 0.1; done; echo end`,
      declaredRisk: 'config_mutation',
    });
    // Claimed is not begun: without the database what has not begun does not begin.
    await until(async () => expect(await home.output(id, 'stdout')).toBe('begin\n'));
    await server.stop();
    expect(await (await daemon.get('/readyz')).json()).toMatchObject({
      ready: false,
      missing: { database: expect.any(String) },
    });
    writeFileSync(file, '');
    await until(async () => expect(daemon.said()).toContain('is not stored yet'));
    server = await startPostgres(options);
    expect(await home.ended(id, 25_000)).toMatchObject({ status: 'completed', exitCode: 0 });
    expect(await home.output(id, 'stdout')).toBe('begin\nend\n');
    expect(daemon.child.exitCode).toBe(null);
  });

  it('may break a transaction in the middle without ending the process', async () => {
    const home = await world();
    const daemon = await daemonProcess(home, { sshd });
    const id = await home.approve({ command: 'uptime' });
    // The daemon's claim waits for the row that is held here, and is cut off while it waits.
    await home.db.transaction(async (tx) => {
      await lockExecution(tx, id);
      await until(async () => {
        const { rows } = await home.db.execute(
          sql`select pg_terminate_backend(pid) from pg_stat_activity
            where datname = current_database() and wait_event_type = 'Lock'`,
        );
        expect(rows).not.toEqual([]);
      });
    });
    expect(await home.ended(id)).toMatchObject({ status: 'completed' });
    expect(daemon.child.exitCode).toBe(null);
  });
});
