import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { leftovers } from '../../lab/world/leftovers.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const DEMO = ['--disable-warning=ExperimentalWarning', 'lab/demo.ts'];

/** A started program: what it has printed so far, and when it ended. */
interface Running {
  readonly child: ChildProcess;
  text(): string;
  /** Resolves once it has printed this. */
  printed(pattern: RegExp): Promise<void>;
  readonly ended: Promise<number | null>;
}

function follow(child: ChildProcess): Running {
  let text = '';
  const waiting = new Set<() => void>();
  const hear = (chunk: Buffer) => {
    text += chunk.toString('utf8');
    for (const look of waiting) look();
  };
  child.stdout?.on('data', hear);
  child.stderr?.on('data', hear);
  const ended = once(child, 'exit').then(([code]) => (typeof code === 'number' ? code : null));
  return {
    child,
    text: () => text,
    ended,
    printed: (pattern) =>
      new Promise((resolve, reject) => {
        const look = () => {
          if (!pattern.test(text)) return;
          waiting.delete(look);
          resolve();
        };
        waiting.add(look);
        look();
        void ended.then(() => reject(new Error(`ended without ${pattern}:\n${text}`)));
      }),
  };
}

describe('npm run demo', () => {
  let dir: string;
  const started: Running[] = [];
  const env = { ...process.env, OPENAI_API_KEY: '', OPENAI_BASE_URL: '', TZ: 'UTC' };
  const keep = (running: Running): Running => {
    started.push(running);
    return running;
  };
  const demo = (...args: string[]) =>
    keep(
      follow(
        spawn(process.execPath, [...DEMO, '--dir', dir, ...args], {
          cwd: ROOT,
          env,
          stdio: 'pipe',
        }),
      ),
    );
  /** The same in a terminal of its own, forty columns wide. */
  const inTerminal = () => {
    const command = `stty cols 40 rows 30; exec '${process.execPath}' ${DEMO.join(' ')} --dir '${dir}' --lab state --no-color`;
    return keep(
      follow(spawn('script', ['-qfec', command, '/dev/null'], { cwd: ROOT, env, stdio: 'pipe' })),
    );
  };

  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'oikos-demo-'));
  });
  afterAll(async () => {
    for (const { child } of started) child.kill('SIGKILL');
    for (const pid of leftovers(dir)) process.kill(pid, 'SIGKILL');
    await rm(dir, { recursive: true, force: true });
  });

  it('says first which form of lab runs, and ends all of it on SIGINT while it starts', async () => {
    const running = demo();
    await running.printed(/ s {2}(?:Postgres|queue)/);
    expect(running.text()).toMatch(/^Form of the lab: /);
    running.child.kill('SIGINT');
    expect(await running.ended).toBe(0);
    expect(leftovers(dir)).toEqual([]);
  });

  it('is repaired after kill -9 in the middle, and is a chat in a terminal', async () => {
    const killed = demo('--lab', 'state');
    await killed.printed(/ s {2}Postgres/);
    killed.child.kill('SIGKILL');
    await killed.ended;
    const chat = inTerminal();
    await chat.printed(/› /);
    expect(chat.text()).toContain('Form of the lab: pure state');
    chat.child.stdin?.write('how full is attic?\r');
    await chat.printed(/100 %/);
    expect(chat.text()).toContain('offline model');
    chat.child.stdin?.write('restart nginx on web\r');
    await chat.printed(/#1 needs your yes/);
    expect(chat.text()).toMatch(/┌─{38}┐/);
    chat.child.stdin?.write('/react 👍\r');
    await chat.printed(/#1 completed/);
    await chat.printed(/nginx is active again/);
  });

  it('is refused a second time in the same folder', async () => {
    const second = demo();
    expect(await second.ended).toBe(1);
    expect(second.text()).toMatch(/A demo already runs in \S+ \(process \d+\)/);
  });

  it('ends everything that it started on Ctrl-C, and nothing else', async () => {
    const chat = started.at(-2);
    expect(leftovers(dir).length).toBeGreaterThan(3);
    chat?.child.stdin?.write('half a sentence\x03');
    expect(await chat?.ended).toBe(0);
    expect(leftovers(dir)).toEqual([]);
    const foreign = new Client(inject('adminUrl'));
    await foreign.connect();
    expect((await foreign.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
    await foreign.end();
  });
});

describe('the transcripts in README.md and docs/USER.md', () => {
  it('are what the scripts print', async () => {
    const check = follow(
      spawn(process.execPath, [DEMO[0] ?? '', 'scripts/transcripts.ts', '--check'], {
        cwd: ROOT,
        stdio: 'pipe',
      }),
    );
    expect(await check.ended, check.text()).toBe(0);
  }, 240_000);
});
