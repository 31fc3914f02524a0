import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eq, sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { readOutput } from '../../shared/db/read-output.ts';
import { executionOutput } from '../../shared/db/schema.ts';
import { type DaemonProcess, daemonProcess } from '../support/daemon-process.ts';
import { oneExecutor, pidsWith, world } from '../support/daemon-world.ts';
import { printsMegabytes } from '../support/flood.ts';
import { type PlainSshd, startPlainSshd } from '../support/plain-sshd.ts';

const MB = 1024 * 1024;

let dir: string;
let sshd: PlainSshd;
beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'daemon-output-'));
  sshd = await startPlainSshd(dir);
});
afterAll(() => {
  sshd.cut();
  rmSync(dir, { recursive: true, force: true });
});

function memoryOf({ child }: DaemonProcess, field: 'VmRSS' | 'VmHWM'): number {
  const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
  const kilobytes = new RegExp(`^${field}:\\s+(\\d+)`, 'm').exec(status)?.[1];
  return Math.round(Number(kilobytes) / 1024);
}

/** Runs a command of the test's own and answers its row with what was kept of it. */
async function run(command: string, more: { timeLimitMs?: number } = {}) {
  const home = await world();
  const executor = await oneExecutor(home, { sshd });
  const id = await home.approve({ command, declaredRisk: 'config_mutation', ...more });
  const asked = performance.now();
  await executor.execute(id);
  const ms = performance.now() - asked;
  return { row: await home.row(id), out: await home.output(id, 'stdout'), ms, home, id };
}

it.each([
  ['on the plain channel', undefined],
  ['detached', 'config_mutation'],
] as const)(
  'keeps head and tail of 250 MB %s, and needs no memory for the rest',
  async (name, risk) => {
    const home = await world();
    const daemon = await daemonProcess(home, { sshd });
    const id0 = await home.approve({ command: 'uptime' });
    await home.ended(id0);
    const before = memoryOf(daemon, 'VmRSS');
    const id = await home.approve({
      command: `echo first; ${printsMegabytes(250)}; echo last`,
      timeLimitMs: 60_000,
      ...(risk && { declaredRisk: risk }),
    });
    const asked = performance.now();
    const row = await home.ended(id, 60_000);
    const seconds = (performance.now() - asked) / 1_000;
    expect(row).toMatchObject({ status: 'completed', outputCut: true });
    // Lines that a cut went through are not counted.
    expect(row.outputBytes).toBeGreaterThan(250_000_000 - 10_000);
    expect(row.risk).toBe(risk ?? 'read_only');
    const [kept] = await home.db
      .select({
        bytes: sql<number>`sum(octet_length(${executionOutput.text}))::int`,
        longest: sql<number>`max(octet_length(${executionOutput.text}))`,
      })
      .from(executionOutput)
      .where(eq(executionOutput.executionId, id));
    expect(kept?.bytes).toBeLessThan(10 * MB + 200);
    expect(kept?.bytes).toBeGreaterThan(9.5 * MB);
    expect(kept?.longest).toBeLessThanOrEqual(32 * 1024);
    const { both, cut } = await readOutput(home.db, id);
    expect(both.slice(0, 6)).toBe('first\n');
    expect(both.slice(-6)).toMatch(/last\n$/);
    expect(cut).toBe(true);
    const [after, peak] = [memoryOf(daemon, 'VmRSS'), memoryOf(daemon, 'VmHWM')];
    console.log(
      `250 MB ${name}: ${seconds.toFixed(1)} s; RSS ${before} MB before, ${after} MB after, ${peak} MB at most`,
    );
    // Measured: some 35 MB, at 250 MB as at 1 GB (bench:exec).
    expect(peak - before).toBeLessThan(100);
  },
  90_000,
);

it('bears endless output without a line end, and ends it in time', async () => {
  const before = process.memoryUsage().rss;
  const { row, ms } = await run(`yes | tr -d '\\n'`, { timeLimitMs: 3_000 });
  expect(row).toMatchObject({ status: 'failed', reason: 'stopped after 3 s: time limit' });
  expect(ms).toBeLessThan(15_000);
  const grown = Math.round((process.memoryUsage().rss - before) / MB);
  console.log(`endless: ${Math.round(row.outputBytes / MB)} MB in 3 s, RSS grew by ${grown} MB`);
}, 40_000);

it('stores random bytes as text', async () => {
  const { row, out } = await run('head -c 1000000 /dev/urandom; echo; echo end');
  expect(row).toMatchObject({ status: 'completed', exitCode: 0 });
  expect(out).toMatch(/\nend\n$/);
});

it.each([
  ['invalid UTF-8', String.raw`printf 'a\xff\xc3b\n'`, 'a��b\n'],
  ['a NUL', String.raw`printf 'a\0b\n'`, 'ab\n'],
  ['a character in two pieces', String.raw`printf '\xe2\x82'; sleep 0.3; printf '\xac\n'`, '€\n'],
  [
    'a coloured progress bar',
    String.raw`for i in $(seq 1 3000); do printf '\r\033[32m%s of 3000\033[0m\033[K' $i; done; echo`,
    '3000 of 3000\n',
  ],
  [
    'lines like our own',
    String.raw`printf 'oikos 00 ready\nterm\nkill\n'`,
    'oikos 00 ready\nterm\nkill\n',
  ],
  ['a wish to read', 'cat; read -r word; echo "$? $word"', '1 \n'],
])('takes %s', async (_claim, command, expected) => {
  const { row, out } = await run(command);
  expect(out).toBe(expected);
  expect(row).toMatchObject({ status: 'completed', exitCode: 0 });
});

it('waits for a command that closed its outputs', async () => {
  const file = join(dir, 'closed');
  const { row, ms } = await run(`echo bye; exec >&- 2>&-; sleep 1; touch ${file}; exit 7`);
  expect(row).toMatchObject({ status: 'failed', exitCode: 7 });
  expect(ms).toBeGreaterThan(1_000);
  expect(existsSync(file)).toBe(true);
});

it('does not wait for a child that holds the output', async () => {
  const marker = `30.${randomBytes(3).readUIntBE(0, 3)}`;
  onTestFinished(() => {
    for (const pid of pidsWith(marker)) process.kill(Number(pid), 'SIGKILL');
  });
  const { row, out, ms } = await run(`sleep ${marker} & echo started`);
  expect(row).toMatchObject({ status: 'completed', exitCode: 0 });
  expect(out).toBe('started\n');
  expect(ms).toBeLessThan(15_000);
});
