import { randomUUID } from 'node:crypto';
import { Client } from 'pg';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { checkLine } from '../../cli/check.ts';
import { checkDatabase } from '../../cli/doctor/database.ts';
import { examine } from '../../cli/doctor/doctor.ts';
import { checkQueue } from '../../cli/doctor/queue.ts';
import { freePort } from '../../lab/services/free-port.ts';
import { freshDatabase } from '../support/database.ts';
import { withDatabaseName } from '../support/database-url.ts';

const databaseLines = async (url: string) =>
  (await checkDatabase({ DATABASE_URL: url })).map(checkLine);
const queueLines = async (url: string) => (await checkQueue({ REDIS_URL: url })).map(checkLine);

describe('the database, as the doctor sees it', () => {
  it('is migrated', async () => {
    const { url } = await freshDatabase();
    expect(await databaseLines(url)).toEqual([
      expect.stringMatching(/^✓ database: Postgres \d+/),
      '✓ the schema is up to date',
    ]);
  });

  it('is empty, and its owner may migrate it, somebody else may not', async () => {
    const { owner, stranger } = await emptyDatabase();
    expect((await databaseLines(owner)).at(-1)).toMatch(/^✓ \d+ migrations are to be applied/);
    expect((await databaseLines(stranger)).at(-1)).toMatch(
      /^✗ \d+ migrations are missing and this user may not create tables/,
    );
  });

  it.each([
    [
      'no such database',
      (url: string) => withDatabaseName(url, 'nowhere'),
      'make it: create database',
    ],
    [
      'nothing that listens',
      () => 'postgres://127.0.0.1:1/x',
      'start Postgres, or correct DATABASE_URL',
    ],
  ])('is told: %s', async (_case, other, todo) => {
    const [line] = await databaseLines(other(inject('adminUrl')));
    expect(line).toMatch(/^✗ the database at 127\.0\.0\.1:\d+\/\w+ cannot be used \(/);
    expect(line).toContain(todo);
  });
});

describe('the queue, as the doctor sees it', () => {
  it('is a server that throws nothing away', async () => {
    const [line] = await queueLines(inject('redisUrl'));
    expect(line).toMatch(
      /^✓ queue: Valkey [\d.]+ at 127\.0\.0\.1:\d+, maxmemory-policy noeviction$/,
    );
  });

  it('is not there, or wants another password', async () => {
    const port = await freePort();
    expect(await queueLines(`redis://127.0.0.1:${port}`)).toEqual([
      `✗ the queue at 127.0.0.1:${port} cannot be used (nothing listens there): start Redis or Valkey, or correct REDIS_URL`,
    ]);
    const [line] = await queueLines(
      inject('redisUrl').replace('redis://', 'redis://nobody:wrong@'),
    );
    expect(line).toMatch(/WRONGPASS.*put its password into REDIS_URL/);
  });
});

describe('oikos doctor', () => {
  it('tells a missing setting once and looks at all the rest', async () => {
    const { url } = await freshDatabase();
    const sections = await examine(
      { DATABASE_URL: url, REDIS_URL: inject('redisUrl'), FLEET_FILE: `/nowhere/${randomUUID()}` },
      { model: false },
    );
    const lines = sections.flatMap(({ title, checks }) => [title, ...checks.map(checkLine)]);
    expect(lines.filter((line) => line.includes('MATRIX_HOMESERVER_URL is not set'))).toHaveLength(
      1,
    );
    expect(lines).toContain('✗ not looked at: see the settings above');
    expect(lines).toContain('✓ the schema is up to date');
    expect(lines.join('\n')).not.toContain(url);
    const lastOfHosts = lines[lines.indexOf('Gate') - 1];
    expect(lastOfHosts).toMatch(/lists no host: add one: oikos host add root@pve1$/);
  });
});

/** One without any table, and its address for its owner and for a user without rights. */
async function emptyDatabase(): Promise<{ owner: string; stranger: string }> {
  const name = `empty_${randomUUID().replaceAll('-', '')}`;
  const url = inject('adminUrl');
  const admin = new Client(url);
  await admin.connect();
  onTestFinished(async () => {
    await admin.query(`drop database ${name} with (force)`);
    await admin.query(`drop role ${name}`);
    await admin.end();
  });
  await admin.query(`create database ${name} encoding 'UTF8' template template0`);
  await admin.query(`create role ${name} login password 'secret'`);
  const stranger = new URL(withDatabaseName(url, name));
  stranger.username = name;
  stranger.password = 'secret';
  return { owner: withDatabaseName(url, name), stranger: stranger.href };
}
