import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { type ConsoleUser, connectUser } from '../../lab/console/user.ts';
import { type LabHost, startLabHost } from '../../lab/host/lab-host.ts';
import { asked, rule, type Scenario } from '../../lab/model/scenario.ts';
import { MODEL_NAME, type ModelServer, startModelServer } from '../../lab/model/server.ts';
import { freePort } from '../../lab/services/free-port.ts';
import { registerUser } from '../../lab/services/synapse-users.ts';
import { TEMPLATE_DATABASE, withDatabaseName } from '../support/database-url.ts';

const PASSWORD = 'correct horse';
const ROOT = join(import.meta.dirname, '..', '..');
const cleanups: (() => Promise<void> | void)[] = [];
let dir: string;
let envFile: string;
let host: LabHost;
let model: ModelServer;
let operator: ConsoleUser;
let botName: string;

/** A model that can do what the check asks for. */
const able: Scenario = [
  rule({
    name: 'calls the tool',
    when: asked(/report_sum/),
    reply: () => ({ calls: [{ name: 'report_sum', args: { a: 17, b: 25 } }] }),
  }),
  rule({
    name: 'remembers the beginning',
    when: asked(/password of the day/),
    reply: ({ messages }) => ({
      text: /password of the day is (\w+)/.exec(messages[0]?.content ?? '')?.[1] ?? '',
    }),
  }),
];

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'oikos-own-'));
  cleanups.push(() => rmSync(dir, { recursive: true, force: true }));
  envFile = join(dir, '.env');
  host = await startLabHost({ dir: join(dir, 'lab'), name: 'pve1' });
  cleanups.push(() => host.stop());
  model = await startModelServer({ scenario: able });
  cleanups.push(() => model.close());
  const tag = randomUUID().slice(0, 8);
  botName = `nomos-${tag}`;
  await register(botName);
  await register(`op-${tag}`);
  operator = await connectUser({ url: synapse().url, name: `op-${tag}`, password: PASSWORD });
  cleanups.push(() => operator.stop());
});

afterAll(async () => {
  for (const cleanup of cleanups.reverse()) await cleanup();
});

describe("the way to one's own homelab, step by step as the guide has it", () => {
  it('logs the bot in', async () => {
    const login = ['matrix', 'login', '--homeserver', synapse().url, '--user', botName];
    const { code, errors } = await oikos([...login, '--to', envFile], `${PASSWORD}\n`);
    expect(errors).toContain(`✓ @${botName}:oikos.test is logged in`);
    expect(code).toBe(0);
    expect(readFileSync(envFile, 'utf8')).not.toContain(PASSWORD);
  });

  it('is told what is still missing', async () => {
    const { code, output, errors } = await oikos(['doctor', '--no-model']);
    expect(code).toBe(1);
    expect(output).toContain('✗ DATABASE_URL is not set; for example');
    expect(output).toContain('✗ MATRIX_OPERATORS is empty, so nobody is obeyed');
    expect(errors).toMatch(
      /^Something is missing: Node and settings, Postgres, .*Seal key, Matrix, Hosts, Gate\.$/m,
    );
  });

  it('adds the first host', async () => {
    const fleet = join(dir, 'fleet.yaml');
    set({ FLEET_FILE: fleet });
    const add = ['host', 'add', `root@127.0.0.1:${host.port}`, '--slug', 'pve1'];
    const key = ['--key', host.privateKeyPath, '--fingerprint', host.hostKeyFingerprint];
    const { code, output } = await oikos([...add, ...key]);
    expect(output).toContain(`✓ host:pve1 and 5 guests are in ${fleet}`);
    expect(code).toBe(0);
    expect((await oikos(['host', 'check', 'pve1'])).code).toBe(0);
  });

  it('makes the seal key', async () => {
    const { code, output } = await oikos(['seal', 'init']);
    expect(output).toMatch(/^Made \.\/seal\/key\./);
    expect(code).toBe(0);
  });

  it('finds everything in place in the end', async () => {
    await operator.createRoom({ name: 'Oikos', invite: [`@${botName}:oikos.test`] });
    set({
      DATABASE_URL: withDatabaseName(inject('adminUrl'), TEMPLATE_DATABASE),
      REDIS_URL: inject('redisUrl'),
      MATRIX_OPERATORS: operator.userId,
      OPENAI_BASE_URL: model.url,
      OPENAI_MODEL: MODEL_NAME,
      BOT_HTTP_PORT: `${await freePort()}`,
      DAEMON_HTTP_PORT: `${await freePort()}`,
    });
    const { code, output } = await oikos(['doctor']);
    expect(output.split('\n').filter((line) => line.includes('✗'))).toEqual([]);
    expect(output).toContain(`✓ operator ${operator.userId} has invited the bot`);
    expect(output).toContain('✓ it calls a tool when asked');
    expect(output).toContain('✓ lxc:web (101) is there, running');
    expect(code).toBe(0);
    for (const check of ['matrix', 'model', 'host']) {
      expect(await oikos([check, 'check']), check).toMatchObject({ code: 0, errors: '' });
    }
  });

  it('is told when the host was swapped afterwards', async () => {
    await host.changeHostKey();
    const { code, output } = await oikos(['doctor', '--no-model']);
    expect(output).toContain('✗ THE HOST KEY CHANGED: host:pve1 shows the host key SHA256:');
    expect(code).toBe(1);
  });

  it('says in one sentence what is wrong with a command line', async () => {
    const wrong = await oikos(['host', 'add', 'pve1:99999', '--key', 'x']);
    expect(wrong).toMatchObject({ code: 1, output: '' });
    expect(wrong.errors).toBe(
      '✗ "pve1:99999" is no address: write it like root@pve1 or root@192.0.2.10:2222\nNothing was written.\n',
    );
    expect((await oikos(['host', 'ad'])).code).not.toBe(0);
  });
});

interface Ran {
  readonly code: number | null;
  readonly output: string;
  readonly errors: string;
}

/** The command line in a process of its own, with .env and nothing else for settings. */
async function oikos(args: readonly string[], input = ''): Promise<Ran> {
  const flags = [
    '--disable-warning=ExperimentalWarning',
    ...(existsSync(envFile) ? [`--env-file=${envFile}`] : []),
  ];
  const child = spawn(process.execPath, [...flags, join(ROOT, 'cli', 'main.ts'), ...args], {
    env: { PATH: process.env['PATH'], HOME: dir },
    cwd: dir,
  });
  const said = { output: '', errors: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said.output += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said.errors += text;
  });
  child.stdin.end(input);
  await once(child, 'close');
  return { code: child.exitCode, ...said };
}

function set(variables: Readonly<Record<string, string>>): void {
  const lines = Object.entries(variables).map(([name, value]) => `${name}=${value}\n`);
  appendFileSync(envFile, lines.join(''));
}

function synapse() {
  const provided = inject('synapse');
  if (provided === null) throw new Error('these tests need the homeserver of the e2e project');
  return provided;
}

async function register(name: string): Promise<void> {
  const { url, secret } = synapse();
  await registerUser({ url, secret, name, password: PASSWORD, admin: false });
}
