import { createServer } from 'node:http';
import { type AddressInfo, createServer as createSocketServer } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { checkLine } from '../check.ts';
import { databaseChecks } from './database.ts';
import { nodeCheck } from './doctor.ts';
import { placeOf } from './place.ts';
import { checkPorts } from './ports.ts';
import { queueChecks } from './queue.ts';

const cleanups: (() => void)[] = [];
afterEach(() => {
  for (const cleanup of cleanups.splice(0)) cleanup();
});

describe('the schema', () => {
  const state = { version: '18.4', encoding: 'UTF8', migratedTo: 200, mayCreate: true };
  const lines = (more: Partial<typeof state>) =>
    databaseChecks('db/oikos', { ...state, ...more }, [100, 200]).map(checkLine);

  it.each([
    ['is up to date', {}, '✓ the schema is up to date'],
    ['is behind', { migratedTo: 100 }, '✓ 1 migrations are to be applied; the next start does it'],
    ['is not there', { migratedTo: 0 }, '✓ 2 migrations are to be applied; the next start does it'],
    ['is ahead', { migratedTo: 300 }, '✗ the schema is newer than this version of Oikos: update'],
    [
      'cannot be made',
      { migratedTo: 0, mayCreate: false },
      '✗ 2 migrations are missing and this user may not create tables',
    ],
  ])('%s', (_case, more, line) => {
    expect(lines(more).at(-1)).toContain(line);
  });

  it('needs an encoding that holds every text', () => {
    expect(lines({ encoding: 'SQL_ASCII' })[1]).toContain(
      '✗ the database stores SQL_ASCII, not UTF8',
    );
  });
});

describe('the queue', () => {
  const server = {
    version: 'Valkey 9.1.2',
    evictionPolicy: 'noeviction',
    replica: false,
    persistent: true,
  };

  it.each([
    ['good', {}, '✓ queue: Valkey 9.1.2 at q:6379, maxmemory-policy noeviction'],
    [
      'one that evicts',
      { evictionPolicy: 'allkeys-lru' },
      '✗ q:6379 throws away what does not fit (maxmemory-policy allkeys-lru): set',
    ],
    ['a replica', { replica: true }, '✗ q:6379 is a replica, which takes no writes'],
    ['one without memory', { persistent: false }, '· the queue keeps nothing over a restart'],
  ])('%s', (_case, more, line) => {
    const lines = queueChecks('q:6379', { ...server, ...more }).map(checkLine);
    expect(lines.at(-1)).toContain(line);
  });
});

describe('the ports', () => {
  async function taken(readyz?: object): Promise<number> {
    const server = readyz
      ? createServer((_request, response) => response.end(JSON.stringify(readyz)))
      : createSocketServer((socket) => socket.end('SSH-2.0-x\r\n'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    cleanups.push(() => server.close());
    return (server.address() as AddressInfo).port;
  }
  const lines = async (bot: number, daemon: number) =>
    (await checkPorts({ BOT_HTTP_PORT: `${bot}`, DAEMON_HTTP_PORT: `${daemon}` })).map(checkLine);

  it('tell Oikos from others, and how it is', async () => {
    const bot = await taken({ ready: false, missing: ['matrix'], busy: false });
    const daemon = await taken({ ready: true, missing: {} });
    expect(await lines(bot, daemon)).toEqual([
      `· bot: runs on port ${bot} and misses matrix`,
      `✓ daemon: runs on port ${daemon} and is ready`,
    ]);
  });

  it('say when another program has one', async () => {
    const port = await taken();
    expect(await lines(port, 0)).toEqual([
      `✗ port ${port} is taken by another program: change BOT_HTTP_PORT`,
      '✓ daemon: port 0 is free, it does not run now',
    ]);
  });

  it('must be two', async () => {
    expect(await lines(8461, 8461)).toEqual([
      '✗ BOT_HTTP_PORT and DAEMON_HTTP_PORT are both 8461: change one',
    ]);
  });
});

describe('small things', () => {
  it('knows which Node runs TypeScript', () => {
    expect(nodeCheck('24.21.0').mark).toBe('ok');
    expect(nodeCheck('22.20.0').mark).toBe('fails');
  });

  it('never shows the password of an address', () => {
    expect(placeOf('postgres://oikos:hush@db:5432/oikos?sslmode=require')).toBe('db:5432/oikos');
    expect(placeOf('redis://:hush@q:6379/')).toBe('q:6379');
    expect(placeOf('no url')).toBe('an address that cannot be read');
  });
});
