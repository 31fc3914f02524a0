import { afterEach, expect, it } from 'vitest';
import { withDatabase } from './with-database.ts';

afterEach(() => {
  process.exitCode = undefined;
});

async function complaints(env: Readonly<Record<string, string>>, work = async () => {}) {
  const lines: string[] = [];
  const terminal = {
    interactive: false,
    say: () => undefined,
    complain: (line: string) => void lines.push(line),
    ask: async () => '',
    askHidden: async () => '',
    readLine: async () => '',
  };
  await withDatabase({ env, terminal }, work);
  return { lines, exitCode: process.exitCode };
}

it('says which setting is missing', async () => {
  expect(await complaints({})).toEqual({
    lines: [expect.stringMatching(/^✗ DATABASE_URL is not set; for example /)],
    exitCode: 1,
  });
});

it('says which database cannot be used, and nothing of its password', async () => {
  const DATABASE_URL = 'postgres://oikos:hunter2@127.0.0.1:1/oikos';
  const refused = Object.assign(new Error('connect'), { code: 'ECONNREFUSED' });
  expect(await complaints({ DATABASE_URL }, () => Promise.reject(refused))).toEqual({
    lines: [
      '✗ the database at 127.0.0.1:1/oikos cannot be used (nothing listens there): oikos doctor says what to do',
    ],
    exitCode: 1,
  });
});

it('says that the tables are not made yet', async () => {
  const DATABASE_URL = 'postgres://oikos@127.0.0.1:1/oikos';
  const missing = Object.assign(new Error('relation "x" does not exist'), { code: '42P01' });
  const { lines } = await complaints({ DATABASE_URL }, () => Promise.reject(missing));
  expect(lines).toEqual([expect.stringContaining('start Oikos once, npm start')]);
});

it('leaves refusals as they are', async () => {
  const DATABASE_URL = 'postgres://oikos@127.0.0.1:1/oikos';
  const work = () => Promise.reject(new Error('git is on or off'));
  expect((await complaints({ DATABASE_URL }, work)).lines).toEqual(['✗ git is on or off']);
});
