import { asc, eq } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Scenario } from '../../lab/model/scenario.ts';
import { exactCommand } from '../../lab/model/scenarios/change.ts';
import { executions, turns } from '../../shared/db/schema.ts';
import type { ExecutionStatus } from '../../shared/domain/execution.ts';
import { slowThought } from '../support/cut-world.ts';
import { type TestWorld, testWorld } from '../support/world.ts';

const scenario: Scenario = [slowThought, exactCommand];

describe('either process killed in the middle', () => {
  let world: TestWorld;
  let round = 0;
  beforeAll(async () => {
    world = await testWorld({ scenario });
  });
  afterAll(async () => world?.stop());
  beforeEach(async () => {
    round += 1;
    await Promise.all([world.bot.start(), world.daemon.start()]);
    await world.chat('stop');
    // No window of an earlier test is open any more.
    await world.moveClock(round * 60);
  });

  const file = () => `/srv/count-${round}`;
  const command = (seconds = 0) =>
    seconds > 0 ? `sleep ${seconds} && echo ran >> ${file()}` : `echo ran >> ${file()}`;
  const timesRun = async () =>
    (await world.host.run(`cat ${file()} 2>/dev/null`)).stdout.split('\n').filter(Boolean).length;
  const newest = async () => {
    const rows = await world.db.select().from(executions).orderBy(asc(executions.proposedAt));
    const row = rows.at(-1);
    if (!row) throw new Error('no execution yet');
    return row;
  };
  const untilStatus = async (status: ExecutionStatus) => {
    const deadline = performance.now() + 20_000;
    for (;;) {
      const row = await newest();
      if (row.status === status) return row;
      if (performance.now() > deadline) throw new Error(`still ${row.status}, not ${status}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };
  const shown = (number: number | null) =>
    world.botSaid().filter((item) => item.body.includes(`#${number} `)).length;
  const restart = async (name: 'bot' | 'daemon') => {
    await world[name].end('SIGKILL');
    await world[name].start();
  };

  it.each(['bot', 'daemon'] as const)('%s, while a card waits', async (name) => {
    await world.chat(`run ${command()} on host:lab`);
    await restart(name);
    await world.chat('yes');
    expect(await newest()).toMatchObject({ status: 'completed' });
    expect(await timesRun()).toBe(1);
  });

  it.each(['bot', 'daemon'] as const)('%s, after the yes and before the start', async (name) => {
    await world.chat(`run ${command()} on host:lab`);
    await world.daemon.end('SIGKILL');
    await world.operator.say(world.roomId, 'yes');
    await untilStatus('approved');
    if (name === 'bot') await restart('bot');
    await world.daemon.start();
    await untilStatus('completed');
    await world.settle();
    expect(await timesRun()).toBe(1);
    expect(world.card((await newest()).number ?? 0).body).toContain('completed');
  });

  it('the bot, while a command runs: its end is told once and the agent called once', async () => {
    await world.chat(`run ${command(2)} on host:lab`);
    await world.operator.say(world.roomId, 'yes');
    const running = await untilStatus('running');
    await restart('bot');
    await untilStatus('completed');
    await world.settle();
    expect(await timesRun()).toBe(1);
    expect(world.card(running.number ?? 0).body).toContain('completed');
    expect(await continuationsOf(running.taskId, running.id)).toBe(1);
  });

  it('the daemon, while a change runs: found again, recorded, and never repeated', async () => {
    await world.chat(`run ${command(3)} on host:lab`);
    await world.operator.say(world.roomId, 'yes');
    const running = await untilStatus('running');
    // Between the claim and the start there is nothing to find again: that ends as not started.
    await vi.waitUntil(async () => (await timesRun()) === 1, { timeout: 10_000 });
    await restart('daemon');
    expect(await untilStatus('completed')).toMatchObject({ id: running.id, exitCode: 0 });
    await world.settle();
    expect(await timesRun()).toBe(1);
    expect(world.card(running.number ?? 0).body).toContain('completed');
    expect(await continuationsOf(running.taskId, running.id)).toBe(1);
  });

  it('the daemon, while a read runs: failed, safe to ask again', async () => {
    const eventId = await world.operator.say(world.roomId, 'run sleep 4 on host:lab');
    await untilStatus('running');
    await restart('daemon');
    await untilStatus('failed');
    await world.settle(eventId);
    expect((await newest()).reason).toContain('safe to ask again');
  });

  it('the bot, while a window is open: the next change runs under it, and is shown once', async () => {
    await world.chat(`run ${command()} on host:lab`);
    await world.chat('yes');
    await restart('bot');
    await world.chat(`run echo again >> ${file()} on host:lab`);
    const under = await newest();
    expect(under).toMatchObject({ status: 'completed', authorization: { kind: 'window' } });
    expect(shown(under.number)).toBe(1);
    expect(await timesRun()).toBe(2);
  });

  it('the bot, between the end of a command and its telling', async () => {
    await world.chat(`run ${command(1)} on host:lab`);
    await world.operator.say(world.roomId, 'yes');
    const running = await untilStatus('running');
    await world.bot.end('SIGKILL');
    await untilStatus('completed');
    await world.bot.start();
    await world.settle();
    expect(world.card(running.number ?? 0).body).toContain('completed');
    expect(shown(running.number)).toBe(1);
    expect(await continuationsOf(running.taskId, running.id)).toBe(1);
    expect(await timesRun()).toBe(1);
  });

  it('the bot, in the agent’s turn: the message is answered exactly once', async () => {
    const text = `think ${round}`;
    await world.operator.say(world.roomId, text);
    await new Promise((resolve) => setTimeout(resolve, 700));
    await restart('bot');
    await world.settle();
    const answers = world.botSaid().filter(({ body }) => body === `Thought about: ${text}`);
    expect(answers).toHaveLength(1);
  });

  it('the bot, in a turn whose command runs: the run is found again, not started again', async () => {
    const eventId = await world.operator.say(world.roomId, `run sleep 2; df -h / on host:lab`);
    await untilStatus('running');
    await restart('bot');
    await world.settle(eventId);
    const rows = await world.db
      .select()
      .from(executions)
      .where(eq(executions.command, 'sleep 2; df -h /'));
    expect(rows).toMatchObject([{ status: 'completed' }]);
    const live = (await world.db.select().from(turns)).filter(({ status }) => status !== 'ended');
    expect(live).toEqual([]);
  });

  async function continuationsOf(taskId: string, executionId: string): Promise<number> {
    const [row] = await world.db.select().from(executions).where(eq(executions.id, executionId));
    const all = await world.db.select().from(turns).where(eq(turns.taskId, taskId));
    return all.filter(({ id }) => id === row?.seenInTurn).length;
  }
});
