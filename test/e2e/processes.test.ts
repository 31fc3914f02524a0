import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rule } from '../../lab/model/scenario.ts';
import { exactCommand } from '../../lab/model/scenarios/change.ts';
import type { OikosProcess } from '../../lab/processes.ts';
import { makeSealKeys } from '../../shared/seal-keys.ts';
import { type CutWorld, cutWorld } from '../support/cut-world.ts';
import type { TestWorld } from '../support/world.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

async function endOf(entry: string, env: NodeJS.ProcessEnv) {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', entry], {
    cwd: ROOT,
    env: { PATH: process.env['PATH'], ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      printed += chunk.toString('utf8');
    });
  }
  const [code] = await once(child, 'close');
  return { code, printed };
}

const LACKING = ['DATABASE_URL is not set', 'REDIS_URL is not set'];
const KEYS = mkdtempSync(join(tmpdir(), 'oikos-keys-'));
afterAll(() => rmSync(KEYS, { recursive: true, force: true }));
const SEAL_KEY_FILE = join(KEYS, 'key');
makeSealKeys(SEAL_KEY_FILE);
const GOOD = {
  SEAL_KEY_FILE,
  DATABASE_URL: 'postgres://oikos:hush-hush@127.0.0.1:1/none',
  REDIS_URL: 'redis://127.0.0.1:1',
  MATRIX_HOMESERVER_URL: 'http://127.0.0.1:1',
  MATRIX_ACCESS_TOKEN: 'syt_not_a_token_at_all',
};

describe('a process that cannot start', () => {
  it.each([
    [
      'bot/main.ts',
      [...LACKING, 'MATRIX_HOMESERVER_URL is not set', 'MATRIX_ACCESS_TOKEN is not set'],
    ],
    ['daemon/main.ts', LACKING],
    ['scripts/start.ts', [...LACKING, 'MATRIX_HOMESERVER_URL is not set']],
  ])('%s says everything that it lacks at once', async (entry, parts) => {
    const { code, printed } = await endOf(entry, {});
    expect(code).toBe(1);
    for (const part of parts) expect(printed).toContain(part);
    expect(printed).not.toMatch(/\n\s+at /);
  });

  it.each(['bot/main.ts', 'scripts/start.ts'])('%s names every bad setting', async (entry) => {
    const { code, printed } = await endOf(entry, {
      ...GOOD,
      DATABASE_URL: 'mysql://x',
      MATRIX_OPERATORS: 'everybody',
      LOG_LEVEL: 'loud',
    });
    expect(code).toBe(1);
    for (const part of ['DATABASE_URL must begin with', 'exact Matrix ids', 'LOG_LEVEL ']) {
      expect(printed).toContain(part);
    }
  });

  it.each(['bot/main.ts', 'daemon/main.ts', 'scripts/start.ts'])(
    '%s says how the seal key is made',
    async (entry) => {
      const { code, printed } = await endOf(entry, {
        ...GOOD,
        SEAL_KEY_FILE: join(KEYS, 'nowhere'),
      });
      expect(code).toBe(1);
      expect(printed).toContain('oikos seal init');
      expect(printed).not.toMatch(/\n\s+at /);
    },
  );

  it('the daemon names its fleet file', async () => {
    const { code, printed } = await endOf('daemon/main.ts', { ...GOOD, FLEET_FILE: '/none.yaml' });
    expect(code).toBe(1);
    expect(printed).toContain('/none.yaml');
    expect(printed).not.toMatch(/\n\s+at /);
  });

  it('the bot says that the database does not answer, and no password', async () => {
    const { code, printed } = await endOf('bot/main.ts', GOOD);
    expect(code).toBe(1);
    expect(printed).toContain('ECONNREFUSED');
    expect(printed).not.toContain('hush-hush');
  });
});

const never = rule({
  name: 'never',
  when: ({ words, fresh }) => (fresh && words.startsWith('think') ? words : undefined),
  reply: () => ({ text: 'late', fault: { kind: 'slow_start', delayMs: 60_000 } }),
});

describe('two running processes', () => {
  let world: TestWorld;
  let lines: CutWorld['lines'];
  let stop: CutWorld['stop'] | undefined;
  beforeAll(async () => {
    ({ world, lines, stop } = await cutWorld([never, exactCommand]));
  });
  afterAll(() => stop?.());
  const both = () => [world.bot, world.daemon];
  const get = async ({ url }: OikosProcess, path: string) => {
    const answer = await fetch(`${url}${path}`, { signal: AbortSignal.timeout(15_000) });
    return { status: answer.status, text: await answer.text() };
  };

  it('answer on their health ports', async () => {
    for (const one of both()) {
      expect((await get(one, '/healthz')).status).toBe(200);
      expect((await get(one, '/readyz')).status).toBe(200);
      const metrics = await get(one, '/metrics');
      expect(metrics.status).toBe(200);
      expect(metrics.text).toContain('oikos_');
    }
  });

  it.each(['database', 'queue'] as const)('name the %s when it is gone', async (name) => {
    await lines[name].cut();
    try {
      for (const one of both()) {
        const ready = await get(one, '/readyz');
        expect(ready.status).toBe(503);
        expect(ready.text).toContain(name);
        expect((await get(one, '/healthz')).status).toBe(200);
        const metrics = await get(one, '/metrics');
        expect(metrics.status).toBe(200);
      }
    } finally {
      await lines[name].mend();
    }
    await Promise.all(both().map(untilReady));
  });

  const endsSoon = async (one: OikosProcess) => {
    const began = performance.now();
    await one.end('SIGTERM');
    const tookMs = performance.now() - began;
    expect(one.logTail()).toContain('"msg":"stopped"');
    expect(tookMs, one.logTail()).toBeLessThan(9_500);
  };

  it('end in order while the model thinks and a command runs', async () => {
    await world.operator.say(world.roomId, 'run sleep 30 on host:lab');
    await world.operator.say(world.roomId, 'think');
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    await Promise.all(both().map(endsSoon));
    await Promise.all(both().map((one) => one.start()));
  });

  it.each(['homeserver', 'queue', 'database'] as const)(
    'end in order without the %s',
    async (name) => {
      await lines[name].cut();
      await new Promise((resolve) => setTimeout(resolve, 500));
      await Promise.all(both().map(endsSoon));
      await lines[name].mend();
      await Promise.all(both().map((one) => one.start()));
    },
  );

  async function untilReady(one: OikosProcess): Promise<void> {
    const deadline = performance.now() + 20_000;
    while ((await get(one, '/readyz')).status !== 200) {
      if (performance.now() > deadline) throw new Error(`${one.name} stays unready`);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
});
