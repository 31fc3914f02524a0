import { rmSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, expect, it, vi } from 'vitest';
import type { Db } from '../shared/db/client.ts';
import type { ExecutionRow } from '../shared/db/executions.ts';
import { createLog } from '../shared/log.ts';
import { dir, house, SHELLS, shellChannel } from '../test/support/local-runner.ts';
import type { Ending } from './ending.ts';
import { createRuns } from './runs.ts';
import type { HostSlot } from './ssh/transport.ts';

afterAll(() => rmSync(dir, { recursive: true, force: true }));

const notHere = () => {
  throw new Error('not in this test');
};

/** A run found at its end, as its row and its host have it; answers what is recorded of it. */
async function recordedOf(
  row: Partial<ExecutionRow>,
  ran: { command: string; agoSeconds: number },
) {
  const host = house(SHELLS.dash);
  await host.start({ command: ran.command }).session.end;
  const path = join(host.spool, 'exit');
  const [code, why, ended, ...rest] = (await readFile(path, 'utf8')).trim().split(' ');
  const earlier = Number(ended) - ran.agoSeconds;
  await writeFile(path, `${[code, why, earlier, ...rest].join(' ')}\n`);
  const record = vi.fn<Ending['record']>(async () => ({ kind: 'dropped' }));
  const ending: Ending = {
    record,
    giveBack: notHere,
    letGo: notHere,
    saveOutput: async () => undefined,
  };
  const slot: HostSlot = {
    open: async () => ({ ok: true, channel: shellChannel(SHELLS.dash) }),
    greetingMs: 5_000,
    run: notHere,
    prepare: notHere,
    release: notHere,
  };
  const deps = {
    // Away: how old the run may be is not known then, and need not be.
    db: {} as Db,
    owner: 'd/1',
    redact: (text: string) => text,
    log: createLog({ level: 'silent', name: 'test', secrets: [] }),
    unreachableMs: 1_000,
    rebootMs: 1_000,
    quietMs: 60_000,
    spoolBases: [host.base],
    keepEnvOption: () => true,
  };
  const found = {
    id: host.id,
    targetKind: 'host',
    targetSlug: 'host:box',
    targetName: 'box',
    hostSlug: 'host:box',
    dialect: 'bash',
    guests: [],
    risk: 'config_mutation',
    startedAt: null,
    unreachableSince: null,
    quietSince: null,
    ...row,
  } as Partial<ExecutionRow> as ExecutionRow;
  const hand = { abort: new AbortController(), recorder: undefined };
  await createRuns(deps, ending).attach(slot, found, hand);
  return record.mock.calls[0]?.slice(1);
}

it.each([
  ['a change', { command: 'touch /root/x', bootBefore: null }],
  ['a restart that failed', { command: 'pct reboot 101', bootBefore: 'old' }],
])('%s is recorded with when it ended and with all that it wrote', async (_claim, row) => {
  // Of a progress line only the last state is kept.
  const ran = { command: "printf '10%%\\r20%%\\n'; exit 3", agoSeconds: 100 };
  const [outcome, facts] = (await recordedOf(row, ran)) ?? [];
  expect(outcome).toMatchObject({ event: 'failed', exitCode: 3 });
  expect(facts).toMatchObject({ summary: { bytes: 8 } });
  expect(facts).toHaveProperty('agoSeconds', expect.closeTo(100, -2));
});
