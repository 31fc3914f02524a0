import { spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  appendFileSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { FleetHost } from '../../daemon/fleet.ts';
import { syncFleet } from '../../daemon/fleet-file.ts';
import { withKnownHosts } from '../../daemon/pinned-keys.ts';
import { createSshPool } from '../../daemon/ssh/pool.ts';
import type { Transport } from '../../daemon/ssh/transport.ts';
import { until } from '../../lab/services/until.ts';
import { alive, executorsFor, oneExecutor, pidsWith, world } from '../support/daemon-world.ts';
import { fingerprintOf, makeKey, type PlainSshd, startPlainSshd } from '../support/plain-sshd.ts';
import { testSeals } from '../support/seals.ts';

let dir: string;
let sshd: PlainSshd;
/** Host keys of three kinds; a client that prefers ed25519 is shown that one. */
let ecdsa: string;
let rsa: string;
beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'oikos-connection-'));
  ecdsa = makeKey(dir, 'host_ecdsa', { type: 'ecdsa' });
  rsa = makeKey(dir, 'host_rsa', { type: 'rsa' });
  sshd = await startPlainSshd(dir, [`HostKey ${ecdsa}`, `HostKey ${rsa}`]);
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

function signal(pids: readonly number[], name: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, name);
    } catch {
      // It has ended meanwhile.
    }
  }
}

/** Takes connections and never says a word. */
async function mute(): Promise<number> {
  const server = createServer(() => undefined);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}

function poolFor(hosts: readonly FleetHost[], connectMs: number): Transport {
  const pool = createSshPool({ hosts, connectMs, readFile: async (path) => readFileSync(path) });
  onTestFinished(() => pool.close());
  return pool;
}

const box: Omit<FleetHost, 'port' | 'user' | 'keyFile' | 'hostKey'> = {
  slug: 'host:gate',
  address: '127.0.0.1',
  passphraseFile: undefined,
  jump: undefined,
  site: 'home',
  sudo: false,
};
const gate = (): FleetHost => {
  const { port, user, keyFile, hostKey } = sshd;
  return { ...box, port, user, keyFile, hostKey };
};

describe('a host key of another kind than the first that is shown', () => {
  it.each([
    ['ecdsa', () => ecdsa],
    ['rsa', () => rsa],
  ])('is found when it is pinned: %s', async (_kind, key) => {
    const home = await world();
    const executor = await oneExecutor(home, { sshd, hostKey: fingerprintOf(`${key()}.pub`) });
    const id = await home.approve({ command: 'uptime' });
    await executor.execute(id);
    expect(await home.row(id)).toMatchObject({ status: 'completed', exitCode: 0 });
  });
});

describe('a key with a passphrase', () => {
  const withPassphrase = async (typed: string | undefined) => {
    const home = await world();
    const keyFile = makeKey(dir, `locked-${home.site}`, { type: 'rsa', passphrase: 'open sesame' });
    appendFileSync(join(dir, 'authorized_keys'), readFileSync(`${keyFile}.pub`));
    const passphraseFile = join(dir, `passphrase-${home.site}`);
    if (typed !== undefined) writeFileSync(passphraseFile, `${typed}\n`);
    const executor = await oneExecutor(home, {
      sshd: { ...sshd, keyFile },
      ...(typed !== undefined && { passphraseFile }),
    });
    const id = await home.approve({ command: 'uptime' });
    await executor.execute(id);
    return home.row(id);
  };

  it('is used with the right one', async () => {
    expect(await withPassphrase('open sesame')).toMatchObject({ status: 'completed' });
  });

  it.each([
    ['the wrong one', 'open barley', /key for host:box cannot be used: the passphrase is wrong/],
    [
      'none',
      undefined,
      /key for host:box cannot be used: it has a passphrase, and key_passphrase_file is not set/,
    ],
  ])('is refused in plain words with %s', async (_claim, typed, sentence) => {
    const row = await withPassphrase(typed);
    expect(row).toMatchObject({ status: 'refused', reason: expect.stringMatching(sentence) });
    expect(row.reason).not.toContain('barley');
  });
});

describe('an SSH agent', () => {
  /** An agent of the test's own, with these keys. */
  const agentWith = async (...keys: readonly string[]): Promise<string> => {
    const socket = join(dir, `agent-${randomBytes(4).toString('hex')}`);
    const agent = spawn('ssh-agent', ['-D', '-a', socket], { stdio: 'ignore' });
    onTestFinished(() => void agent.kill());
    await until(async () => expect(existsSync(socket)).toBe(true));
    const env = { ...process.env, SSH_AUTH_SOCK: socket };
    for (const key of keys) expect(spawnSync('ssh-add', ['-q', key], { env }).status).toBe(0);
    return socket;
  };
  const byAgent = async (agent: string) => {
    onTestFinished(() => void vi.unstubAllEnvs());
    const home = await world();
    const executor = await oneExecutor(home, { sshd, agent });
    const id = await home.approve({ command: 'uptime' });
    await executor.execute(id);
    return home.row(id);
  };

  it('logs in with the key that it holds, also a later one of several', async () => {
    const other = makeKey(dir, `other-${randomBytes(4).toString('hex')}`);
    expect(await byAgent(await agentWith(other, sshd.keyFile))).toMatchObject({
      status: 'completed',
    });
  });

  it('logs in by the one that the environment names', async () => {
    vi.stubEnv('SSH_AUTH_SOCK', await agentWith(sshd.keyFile));
    expect(await byAgent('SSH_AUTH_SOCK')).toMatchObject({ status: 'completed' });
  });

  it.each<[string, () => string | Promise<string>, string]>([
    [
      'holds no key',
      () => agentWith(),
      'the key for host:box cannot be used: the agent at AGENT holds no key: ssh-add the one for it; nothing was started',
    ],
    [
      'is not there',
      () => join(dir, 'no-agent'),
      'the key for host:box cannot be used: the agent at AGENT does not answer; nothing was started',
    ],
    [
      'is not named by the environment',
      () => {
        vi.stubEnv('SSH_AUTH_SOCK', undefined);
        return 'SSH_AUTH_SOCK';
      },
      'the key for host:box cannot be used: AGENT is not set where the daemon runs, so it has no agent; nothing was started',
    ],
    [
      'holds another key',
      () => agentWith(makeKey(dir, `foreign-${randomBytes(4).toString('hex')}`)),
      'host:box refused the login: check user and key_file, or what the agent holds; nothing was started',
    ],
  ])('that %s is told in plain words', async (_claim, agentOf, reason) => {
    const agent = await agentOf();
    expect(await byAgent(agent)).toMatchObject({
      status: 'refused',
      reason: reason.replaceAll('AGENT', agent),
    });
  });
});

describe('a known_hosts file', () => {
  const keyLine = (path: string) =>
    readFileSync(`${path}.pub`, 'utf8').split(' ').slice(0, 2).join(' ');
  /** The host as fleet.yaml has it, its pin taken from these lines, hashed as ssh-keygen hashes them. */
  const pinnedBy = async (key: string) => {
    const home = await world();
    const path = join(dir, `known-${home.site}`);
    writeFileSync(path, `[127.0.0.1]:${sshd.port} ${keyLine(key)}\n`);
    expect(spawnSync('ssh-keygen', ['-q', '-H', '-f', path]).status).toBe(0);
    expect(readFileSync(path, 'utf8')).toMatch(/^\|1\|/);
    const { hostKey: _none, ...open } = gate();
    const fleet = { hosts: [{ ...open, hostKey: undefined, knownHosts: path }], guests: [] };
    const pinned = withKnownHosts(fleet);
    if (!pinned.ok) throw new Error(pinned.problems.join());
    const pool = poolFor(pinned.fleet.hosts, 5_000);
    return { path, reserved: await pool.reserve('host:gate') };
  };

  it.each([
    ['ecdsa', () => ecdsa],
    ['rsa', () => rsa],
  ])('pins the key that it has of the host, hashed: %s', async (_kind, key) => {
    expect((await pinnedBy(key())).reserved.ok).toBe(true);
  });

  it('refuses a host that shows none of its keys', async () => {
    const other = makeKey(dir, `swapped-${randomBytes(4).toString('hex')}`);
    const { path, reserved } = await pinnedBy(other);
    expect(reserved).toMatchObject({
      ok: false,
      trouble: {
        kind: 'changed_key',
        sentence: `host:gate shows the host key ${sshd.hostKey}, but ${path} pins ${fingerprintOf(`${other}.pub`)}: it was reinstalled, or somebody stands between`,
      },
    });
  });
});

describe('a jump host', () => {
  it('is the way to a host behind it', async () => {
    const home = await world();
    const executor = await oneExecutor(home, { sshd, others: [gate()], jump: 'host:gate' });
    const id = await home.approve({ command: 'echo "$PPID" >/dev/null; uptime' });
    await executor.execute(id);
    expect(await home.row(id)).toMatchObject({ status: 'completed' });
  });

  it('that forwards nowhere is named, and the end comes in time', async () => {
    const home = await world();
    const executor = await oneExecutor(home, {
      sshd,
      others: [gate()],
      jump: 'host:gate',
      port: 1,
    });
    const id = await home.approve({ command: 'uptime' });
    await executor.execute(id);
    expect(await home.row(id)).toMatchObject({
      status: 'refused',
      reason:
        'host:gate cannot reach host:box at 127.0.0.1:1: Connection refused; nothing was started',
    });
  });

  it('that falls silent holds nothing up for longer than the time to connect', async () => {
    const inside = { ...gate(), slug: 'host:inner', jump: 'host:gate' };
    const pool = poolFor([gate(), inside], 1_500);
    const first = await pool.reserve('host:gate');
    expect(first.ok).toBe(true);
    const sessions = sshd.sessions();
    signal(sessions, 'SIGSTOP');
    onTestFinished(() => signal(sessions, 'SIGKILL'));
    const asked = performance.now();
    const inner = await pool.reserve('host:inner');
    expect(performance.now() - asked).toBeLessThan(9_000);
    expect(inner).toMatchObject({
      ok: false,
      trouble: { kind: 'timeout', sentence: 'host:inner did not answer in time' },
    });
  });
});

it('a channel that was opened ahead of its need outlives that its connection is given up', async () => {
  const pool = poolFor([gate()], 1_500);
  const [ahead, other] = [await pool.reserve('host:gate'), await pool.reserve('host:gate')];
  if (!ahead.ok || !other.ok) throw new Error('no slot');
  const job = { line: 'true', needs: [], limitMs: 10_000, killAfterMs: 1_000 };
  const once = { endWithConnection: true, stop: new AbortController().signal };
  const run = ({ slot }: typeof ahead) => slot.run({ ...job, ...once, onOutput: () => undefined });
  const done = { kind: 'exited', code: 0 };
  ahead.slot.prepare();
  // Channels are opened in turn: with the second one, the first is there.
  expect(await run(other)).toEqual(done);
  const sessions = sshd.sessions();
  signal(sessions, 'SIGSTOP');
  onTestFinished(() => signal(sessions, 'SIGKILL'));
  // No answer in time: it connects again.
  expect(await run(other)).toEqual(done);
  signal(sessions, 'SIGCONT');
  expect(await run(ahead)).toEqual(done);
});

describe('a host that takes the connection and says nothing', () => {
  it('is given up after the time to connect', async () => {
    const home = await world();
    const port = await mute();
    const executor = await oneExecutor(home, { sshd, port, connectMs: 1_000 });
    const id = await home.approve({ command: 'uptime' });
    const asked = performance.now();
    await executor.execute(id);
    expect(performance.now() - asked).toBeLessThan(9_000);
    expect(await home.row(id)).toMatchObject({
      status: 'refused',
      reason: 'host:box did not answer in time; nothing was started',
    });
  });

  it('for one daemon does not end what another one runs there', async () => {
    const home = await world();
    const [works] = executorsFor(home, 1, { sshd });
    const [cannot] = executorsFor(home, 1, { sshd, port: await mute(), connectMs: 1_500 });
    if (!works || !cannot) throw new Error('no executor');
    await syncFleet(home.db, works.fleet, home.site, testSeals);
    const id = await home.approve({ command: 'sleep 3; echo done' });
    const slow = cannot.executor.execute(id);
    await new Promise((resolve) => setTimeout(resolve, 300));
    const quick = works.executor.execute(id);
    expect(await slow).toEqual({ kind: 'dropped' });
    expect((await home.row(id)).status).toBe('running');
    await quick;
    expect(await home.row(id)).toMatchObject({ status: 'completed', exitCode: 0 });
  });
});

describe('a connection that breaks while a command runs', () => {
  const broken = 'the connection broke while it ran';
  it.each([
    ['read_only', 'SIGKILL', 'failed', `${broken}; safe to ask again`, 9_000],
    ['config_mutation', 'SIGKILL', 'completed', null, 9_000],
    ['config_mutation', 'SIGSTOP', 'completed', null, 30_000],
  ] as const)(
    '%s after %s ends as %s',
    async (risk, name, status, reason, withinMs) => {
      const home = await world();
      const executor = await oneExecutor(home, { sshd });
      const marker = newMarker();
      const id = await home.approve({
        command: risk === 'read_only' ? `sleep ${marker}` : `echo ${marker}; sleep 5; echo end`,
        timeLimitMs: 60_000,
        ...(risk !== 'read_only' && { declaredRisk: risk }),
      });
      const running = executor.execute(id);
      await until(async () => expect(alive(marker)).toBe(true));
      const sessions = sshd.sessions();
      onTestFinished(() => signal(sessions, 'SIGKILL'));
      const asked = performance.now();
      signal(sessions, name);
      await running;
      expect(performance.now() - asked).toBeLessThan(withinMs);
      expect(await home.row(id)).toMatchObject({ status, reason });
      // What only reads is ended on the host too, as soon as its side notices.
      if (risk === 'read_only') await until(async () => expect(alive(marker)).toBe(false));
      else expect(await home.output(id, 'stdout')).toBe(`${marker}\nend\n`);
    },
    45_000,
  );

  it('is made anew for the next one', async () => {
    const home = await world();
    const executor = await oneExecutor(home, { sshd });
    await executor.execute(await home.approve({ command: 'uptime' }));
    signal(sshd.sessions(), 'SIGKILL');
    const id = await home.approve({ command: 'uptime' });
    await executor.execute(id);
    expect(await home.row(id)).toMatchObject({ status: 'completed' });
  });
});

it('a host whose channels open slowly keeps what it runs', async () => {
  const home = await world();
  const executor = await oneExecutor(home, { sshd, connectMs: 1_000 });
  const marker = newMarker();
  const file = join(dir, `go-${home.site}`);
  const id = await home.approve({
    command: `while ! test -e ${file}; do sleep 0.1; done; echo ${marker}`,
    declaredRisk: 'config_mutation',
  });
  const running = executor.execute(id);
  await until(async () => expect(alive(marker)).toBe(true));
  const sessions = sshd.sessions();
  signal(sessions, 'SIGSTOP');
  // No channel opens within the second: the next one comes by a connection of its own.
  const next = await home.approve({ command: 'uptime' });
  await executor.execute(next);
  signal(sessions, 'SIGCONT');
  writeFileSync(file, '');
  await running;
  expect(await home.row(next)).toMatchObject({ status: 'completed' });
  expect(await home.row(id)).toMatchObject({ status: 'completed', exitCode: 0 });
});
