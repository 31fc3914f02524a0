import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import {
  appendFileSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eq, sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { syncFleet } from '../../daemon/fleet-file.ts';
import { until } from '../../lab/services/until.ts';
import { readNow } from '../../shared/db/clock.ts';
import { requestCancel } from '../../shared/db/executions.ts';
import { approvals, entities } from '../../shared/db/schema.ts';
import { moveClock } from '../support/clock.ts';
import {
  alive,
  daemonEnvironment,
  daemonFor,
  executorsFor,
  oneExecutor,
  pidsWith,
  world,
} from '../support/daemon-world.ts';
import { otherFingerprint, type PlainSshd, startPlainSshd } from '../support/plain-sshd.ts';
import { testSeals } from '../support/seals.ts';

let dir: string;
let sshd: PlainSshd;
beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'oikos-daemon-'));
  sshd = await startPlainSshd(dir);
});
afterAll(() => {
  sshd.cut();
  rmSync(dir, { recursive: true, force: true });
});

function newMarker(): string {
  const marker = `30.${randomBytes(3).readUIntBE(0, 3)}`;
  onTestFinished(() => {
    for (const pid of pidsWith(marker)) process.kill(Number(pid), 'SIGKILL');
  });
  return marker;
}

describe('a command that was rung for', () => {
  it('is run, and its exit code and both streams are recorded', async () => {
    const home = await world();
    const { ring } = await daemonFor(home, { sshd });
    const id = await home.approve({ command: 'echo out; echo oops >&2; exit 3' });
    await ring(id);
    expect(await home.ended(id)).toMatchObject({
      status: 'failed',
      exitCode: 3,
      reason: 'it ended with exit code 3',
      outputCut: false,
    });
    expect(await home.output(id, 'stdout')).toBe('out\n');
    expect(await home.output(id, 'stderr')).toBe('oops\n');
  });

  it('runs in the judged shell, in a clean environment, with an empty stdin', async () => {
    const home = await world();
    const { ring } = await daemonFor(home, { sshd });
    const id = await home.approve({
      command: `cat; echo "$BASH_VERSION" | grep -c .; echo "$SSH_CONNECTION|$LC_ALL|$0"; echo sesame-open-2026`,
    });
    await ring(id);
    expect(await home.ended(id)).toMatchObject({ status: 'completed', exitCode: 0 });
    const text = await home.output(id, 'stdout');
    expect(text).toMatch(/^1\n\|C\.UTF-8\|\/bin\/bash\n/);
    expect(text).not.toContain('sesame');
  });

  it('is found by the sweep when the ring was lost', async () => {
    const home = await world();
    await daemonFor(home, { sshd });
    const id = await home.approve({ command: 'uptime' });
    expect(await home.ended(id)).toMatchObject({ status: 'completed' });
  });

  it('has learnt by then which shell the host has', async () => {
    const home = await world();
    await daemonFor(home, { sshd });
    const shell = await until(async () => {
      const [entity] = await home.db.select().from(entities).where(eq(entities.slug, 'host:box'));
      if (!entity?.attributes.shell) throw new Error('not yet');
      return entity.attributes.shell;
    });
    expect(shell).toBe('bash');
  });
});

describe('the process', () => {
  it('says when it is ready, and ends in order on SIGTERM', async () => {
    const home = await world();
    const child = spawn(process.execPath, ['daemon/main.ts'], {
      env: daemonEnvironment(home, { sshd }),
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    let said = '';
    child.stdout.on('data', (chunk) => {
      said += chunk;
    });
    const port = await until(async () => {
      const found = /"port":(\d+),"msg":"daemon ready"/.exec(said)?.[1];
      if (found === undefined) throw new Error(`not ready: ${said}`);
      return found;
    });
    await until(async () => {
      const ready = await fetch(`http://127.0.0.1:${port}/readyz`);
      expect(await ready.json()).toEqual({ ready: true, missing: {} });
    });
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([0, null]);
  });
});

describe('the end of a command', () => {
  it('at its time limit takes the whole group with it', async () => {
    const home = await world();
    const { ring } = await daemonFor(home, { sshd });
    const marker = `77${randomBytes(3).readUIntBE(0, 3)}`;
    const id = await home.approve({
      command: `sleep ${marker} & (trap '' TERM; sleep ${marker}.5; sleep ${marker}.5) & wait`,
      declaredRisk: 'config_mutation',
      timeLimitMs: 1_000,
    });
    await ring(id);
    await until(async () => expect(alive(marker)).toBe(true));
    expect(await home.ended(id)).toMatchObject({
      status: 'failed',
      reason: 'stopped after 1 s: time limit',
    });
    expect(alive(marker)).toBe(false);
  });

  it('comes within 2 s of a stop', async () => {
    const home = await world();
    const { ring } = await daemonFor(home, { sshd });
    const marker = `78${randomBytes(3).readUIntBE(0, 3)}`;
    const id = await home.approve({ command: `sleep ${marker}`, declaredRisk: 'config_mutation' });
    await ring(id);
    await until(async () => expect(alive(marker)).toBe(true));
    const asked = performance.now();
    await home.db.transaction(async (tx) =>
      requestCancel(tx, id, { now: await readNow(tx), by: '@op:test' }),
    );
    expect(await home.ended(id)).toMatchObject({
      status: 'cancelled',
      reason: 'stopped by @op:test',
    });
    expect(performance.now() - asked).toBeLessThan(9_000);
    expect(alive(marker)).toBe(false);
  });

  it('of a read is unknown when the connection breaks', async () => {
    const home = await world();
    const executor = await oneExecutor(home, { sshd });
    const marker = newMarker();
    const id = await home.approve({ command: `sleep ${marker}` });
    const running = executor.execute(id);
    await until(async () => expect(alive(marker)).toBe(true));
    sshd.cut();
    await running;
    await sshd.start();
    expect(await home.row(id)).toMatchObject({
      status: 'failed',
      reason: expect.stringMatching(/safe to ask again$/),
    });
  });

  it('of a change is waited for when the connection breaks, and the row says since when', async () => {
    const home = await world();
    const executor = await oneExecutor(home, { sshd });
    const marker = newMarker();
    const file = join(dir, `go-${home.site}`);
    const id = await home.approve({
      command: `echo ${marker}; while ! test -e ${file}; do sleep 0.1; done; echo end; exit 4`,
      declaredRisk: 'config_mutation',
    });
    const running = executor.execute(id);
    await until(async () => expect(alive(marker)).toBe(true));
    sshd.cut();
    await until(async () => expect((await home.row(id)).unreachableSince).not.toBeNull());
    writeFileSync(file, '');
    await sshd.start();
    await running;
    expect(await home.row(id)).toMatchObject({
      status: 'failed',
      exitCode: 4,
      unreachableSince: null,
    });
    expect(await home.output(id, 'stdout')).toBe(`${marker}\nend\n`);
  });

  it('of a change is lost when its host stays away for longer than is waited', async () => {
    const home = await world();
    const executor = await oneExecutor(home, { sshd });
    const marker = newMarker();
    const id = await home.approve({
      command: `sleep ${marker}`,
      declaredRisk: 'config_mutation',
    });
    const running = executor.execute(id);
    await until(async () => expect(alive(marker)).toBe(true));
    sshd.cut();
    await until(async () => expect((await home.row(id)).unreachableSince).not.toBeNull());
    await moveClock(home.db, 25 * 3_600_000);
    await running;
    await sshd.start();
    expect(await home.row(id)).toMatchObject({
      status: 'lost',
      reason: 'its host could not be reached for too long; what it did is not known',
    });
  });

  it('is marked when nothing was printed for long', async () => {
    const home = await world();
    const executor = await oneExecutor(home, { sshd, quietMs: 300 });
    const id = await home.approve({
      command: 'echo begin; sleep 1.5; echo end; sleep 0.2',
      declaredRisk: 'config_mutation',
    });
    const running = executor.execute(id);
    await until(async () => expect((await home.row(id)).quietSince).not.toBeNull());
    await running;
    expect(await home.row(id)).toMatchObject({ status: 'completed', quietSince: null });
  });
});

describe('a start is refused', () => {
  it('when the host shows another key, and nothing runs', async () => {
    const home = await world();
    const executor = await oneExecutor(home, { sshd, hostKey: otherFingerprint(dir) });
    const file = join(dir, `wrong-key-${home.site}`);
    const id = await home.approve({ command: `touch ${file}` });
    await executor.execute(id);
    expect(await home.row(id)).toMatchObject({
      status: 'refused',
      reason: expect.stringContaining('but fleet.yaml pins'),
    });
    expect(existsSync(file)).toBe(false);
  });

  it('quickly when the host is down', async () => {
    const home = await world();
    const executor = await oneExecutor(home, { sshd, port: 1 });
    const id = await home.approve({ command: 'uptime' });
    const asked = performance.now();
    expect(await executor.execute(id)).toMatchObject({
      status: 'refused',
      reason: 'host:box refused the connection: is sshd running?; nothing was started',
    });
    expect(performance.now() - asked).toBeLessThan(9_000);
  });

  it.each([
    [
      'the command was changed after the yes',
      { command: 'touch /tmp/other' },
      /is not what was judged/,
    ],
    ['the class was changed', { risk: 'read_only' as const }, /it counts as config_mutation now/],
    [
      'its authorization is only for reading',
      { authorization: { kind: 'read_only' as const } },
      /it needs an approval/,
    ],
    ['the target is no longer the same', { targetName: 'bux' }, /is not what was judged/],
  ])('when %s', async (_claim, change, reason) => {
    const home = await world();
    const executor = await oneExecutor(home, { sshd });
    const file = join(dir, `changed-${home.site}`);
    const id = await home.approve({ command: `touch ${file}`, declaredRisk: 'config_mutation' });
    const [column, value] = Object.entries(change)[0] ?? ['', ''];
    const name = { targetName: 'target_name' }[column] ?? column;
    const stored = typeof value === 'string' ? sql`${value}` : sql`${JSON.stringify(value)}::jsonb`;
    await home.db.execute(
      sql`update executions set ${sql.identifier(name)} = ${stored} where id = ${id}`,
    );
    await executor.execute(id);
    expect(await home.row(id)).toMatchObject({
      status: 'refused',
      reason: expect.stringMatching(reason),
    });
    expect(existsSync(file)).toBe(false);
  });

  it('when the yes was taken back', async () => {
    const home = await world();
    const executor = await oneExecutor(home, { sshd });
    const id = await home.approve({ command: 'uptime', declaredRisk: 'config_mutation' });
    await home.db.update(approvals).set({ status: 'revoked' });
    expect(await executor.execute(id)).toMatchObject({ status: 'refused' });
  });

  it('as too late when its time to start is over', async () => {
    const home = await world();
    const executor = await oneExecutor(home, { sshd });
    const id = await home.approve({ command: 'uptime', declaredRisk: 'config_mutation' });
    await moveClock(home.db, 61 * 60_000);
    expect(await executor.execute(id)).toMatchObject({ status: 'expired' });
  });
});

describe('at most once', () => {
  it('runs one command for eight callers in four daemons', async () => {
    const home = await world();
    const made = executorsFor(home, 4, { sshd });
    for (const { fleet } of made) await syncFleet(home.db, fleet, home.site, testSeals);
    const file = join(dir, `once-${home.site}`);
    appendFileSync(file, '');
    // Connections are opened first: cold ones would let one caller win by waiting.
    for (const { executor } of made) {
      await executor.execute(await home.approve({ command: 'uptime' }));
    }
    const id = await home.approve({ command: `echo ran >> ${file}` });
    const answers = await Promise.all(
      made.flatMap(({ executor }) => [executor.execute(id), executor.execute(id)]),
    );
    expect(readFileSync(file, 'utf8')).toBe('ran\n');
    expect(answers.filter(({ kind }) => kind === 'ended')).toHaveLength(1);
  });

  it('never starts again what an earlier life had in hand', async () => {
    const home = await world();
    const never = join(dir, `never-${home.site}`);
    const [reads, changes] = await Promise.all([
      home.approve({ command: 'uptime' }),
      home.approve({ command: `touch ${never}`, declaredRisk: 'config_mutation' }),
    ]);
    await home.db.execute(
      sql`update executions set status = 'running', owner = ${`${home.site}/earlier`}, lease_until = oikos_now() + interval '20 s'`,
    );
    await daemonFor(home, { sshd });
    expect(await home.row(reads)).toMatchObject({
      status: 'failed',
      reason: 'the daemon was restarted while it ran; safe to ask again',
    });
    expect(await home.ended(changes)).toMatchObject({
      status: 'failed',
      reason: 'nothing was started: it had not begun on its host',
    });
    expect(existsSync(never)).toBe(false);
  });
});
