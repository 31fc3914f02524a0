import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { replayGate, replayLines, spanMs } from '../../cli/gate/replay.ts';
import { policyChanges } from '../../cli/policy/changes.ts';
import { executions } from '../../shared/db/schema.ts';
import { propose } from '../../shared/propose.ts';
import { callKey, type House, house } from '../support/house.ts';
import { testKeyFile, testSeals } from '../support/seals.ts';

const DAY_MS = 24 * 60 * 60_000;

async function propose3(h: House) {
  const place = await h.newTask();
  const wishes = [
    ['lxc:web', 'systemctl restart nginx'],
    ['lxc:dns', 'rm /srv/scratch/x'],
    ['lxc:dns', 'uptime'],
  ] as const;
  for (const [target, command] of wishes) {
    await propose(h.proposeDeps, { ...place, callKey: callKey(), target, command, purpose: '' });
  }
}

it('lists what would be judged otherwise by the present settings, the stricter first', async () => {
  const h = await house();
  await propose3(h);
  expect(replayLines(await replayGate(h.db, DAY_MS))).toEqual([
    expect.stringMatching(
      /^3 judged again by rules \d+: 0 stricter, 0 milder, 0 with other flags\.$/,
    ),
  ]);
  const changes = policyChanges(h.db, testSeals, 'cli:op');
  await changes.setPolicy('scratchFolders', ['/srv/scratch']);
  await changes.protect('lxc:web', 'destructive');
  const { count, differences } = await replayGate(h.db, DAY_MS);
  expect([count, differences]).toMatchObject([
    3,
    [
      {
        number: 1,
        target: 'lxc:web',
        before: { risk: 'config_mutation' },
        now: { risk: 'destructive' },
      },
      {
        number: 2,
        target: 'lxc:dns',
        before: { risk: 'destructive' },
        now: { risk: 'config_mutation' },
      },
    ],
  ]);
  await h.moveClock(2 * 24 * 60);
  expect(await replayGate(h.db, DAY_MS)).toEqual({ count: 0, differences: [] });
});

it('reads a long ledger page by page, also where many rows are of one moment', async () => {
  const h = await house();
  await propose3(h);
  const rows = await h.db.select().from(executions);
  const [first] = rows;
  if (!first) throw new Error('nothing was stored');
  const copies = Array.from({ length: 1_200 }, (_none, index) => {
    const { id: _id, ...row } = first;
    return { ...row, callKey: `copy:${index}`, number: null };
  });
  await h.db.insert(executions).values(copies);
  expect((await replayGate(h.db, DAY_MS)).count).toBe(1_203);
});

it.each([
  ['12h', DAY_MS / 2],
  ['30d', 30 * DAY_MS],
  ['2w', 14 * DAY_MS],
  ['30', undefined],
  ['-1d', undefined],
  ['', undefined],
])('takes %j as a span', (written, ms) => {
  expect(spanMs(written)).toBe(ms);
});

it('is there on the command line, as the settings are', async () => {
  const h = await house();
  await propose3(h);
  const oikos = (...args: string[]) =>
    promisify(execFile)(process.execPath, ['cli/main.ts', ...args], {
      env: { PATH: process.env['PATH'], DATABASE_URL: h.url, SEAL_KEY_FILE: testKeyFile() },
    });
  expect((await oikos('policy', 'protect', 'web')).stdout).toBe(
    'every change of lxc:web counts at least as destructive now.\n',
  );
  const { stdout } = await oikos('gate', 'replay', '--json');
  expect(JSON.parse(stdout)).toMatchObject({ number: 1, now: { risk: 'destructive' } });
  await expect(oikos('gate', 'replay', '--since', 'ever')).rejects.toMatchObject({ code: 1 });
}, 60_000);
