import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { approvals, auditEvents, executions, turns } from '../../shared/db/schema.ts';
import { type TestWorld, testWorld } from '../support/world.ts';

describe('who is obeyed', () => {
  let world: TestWorld;
  beforeAll(async () => {
    world = await testWorld();
  });
  afterAll(async () => world?.stop());

  it('takes neither words nor reactions from a stranger in the room', async () => {
    const stranger = await world.guest('stranger');
    await world.chat('restart nginx on lxc:web');
    const words = await stranger.say(world.roomId, 'yes');
    const reaction = await stranger.react(world.roomId, world.card(1).eventId, '👍');
    const request = await stranger.say(world.roomId, 'run uptime on host:lab');
    for (const event of [words, reaction, request]) await world.settle(event);
    expect((await world.execution(1)).status).toBe('pending_approval');
    expect(await world.db.select().from(turns)).toHaveLength(1);
    const ignored = await world.db
      .select()
      .from(auditEvents)
      .where(eq(auditEvents.kind, 'decision.ignored'));
    expect(ignored.map(({ actor }) => actor)).toContain(stranger.userId);
  });

  it('does not take a yes that stands behind another person’s words, and says why not', async () => {
    await world.chat('yes');
    expect((await world.execution(1)).status).toBe('pending_approval');
    await world.chat('yes #1');
    expect((await world.execution(1)).status).toBe('completed');
  });

  it('does not take the bot’s own seeded 👍 as a yes', async () => {
    await world.moveClock(60);
    await world.chat('restart nginx on lxc:dns');
    expect(
      world.card(2).reactions.some(({ sender, key }) => sender === world.botId && key === '👍'),
    ).toBe(true);
    expect((await world.execution(2)).status).toBe('pending_approval');
  });

  it('does not take an edit of an older message, whatever it says now', async () => {
    const event = await world.operator.say(world.roomId, 'hello there');
    await world.settle(event);
    const edit = await world.operator.edit(world.roomId, event, 'yes #2');
    await world.settle(edit);
    expect((await world.execution(2)).status).toBe('pending_approval');
  });

  it('does not take a yes from before the card', async () => {
    await world.chat('no #2');
    await world.bot.end('SIGKILL');
    const early = await world.operator.say(world.roomId, 'yes');
    const request = await world.operator.say(world.roomId, 'restart cron on lxc:dns');
    await world.bot.start();
    await world.settle(early);
    await world.settle(request);
    const rows = await world.db
      .select()
      .from(executions)
      .where(eq(executions.command, 'systemctl restart cron'));
    expect(rows).toMatchObject([{ status: 'pending_approval' }]);
    await world.chat('stop');
    const open = await world.db.select().from(approvals).where(eq(approvals.status, 'pending'));
    expect(open).toEqual([]);
  });
});

describe('without operators', () => {
  it('obeys nobody and says nothing', async () => {
    const world = await testWorld({ operators: 'nobody' });
    try {
      await world.operator.say(world.roomId, 'run uptime on host:lab');
      await new Promise((resolve) => setTimeout(resolve, 1_500));
      expect(world.botSaid()).toEqual([]);
      expect(await world.db.select().from(turns)).toEqual([]);
      expect(world.bot.logTail()).toContain('nobody will be obeyed');
    } finally {
      await world.stop();
    }
  });
});
