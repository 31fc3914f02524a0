import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { approvals, auditEvents, executions, turns } from '../../shared/db/schema.ts';
import { type TestWorld, testWorld } from '../support/world.ts';

describe('who is obeyed', () => {
  let world: TestWorld;
  let env: NodeJS.ProcessEnv;
  beforeAll(async () => {
    world = await testWorld({
      async adjust(settings) {
        env = settings.bot;
        return settings;
      },
    });
  });
  afterAll(async () => world?.stop());

  it('takes neither words nor reactions from a stranger in the room', async () => {
    const stranger = await world.guest('stranger');
    // Two people listen now: what does not address the bot is not for it, until every word is.
    await world.chat('restart nginx on lxc:web');
    expect(await world.db.select().from(turns)).toEqual([]);
    expect(
      world
        .botSaid()
        .map(({ body }) => body)
        .join(),
    ).toContain(`${stranger.userId} is neither`);
    await world.chat('!oikos room ops on');
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

  it('C8: obeys nobody with an empty list of operators, and writes down who tried', async () => {
    await world.chat('restart cron on lxc:web');
    const [row] = await world.db
      .select()
      .from(executions)
      .where(eq(executions.status, 'pending_approval'));
    const card = world.card(row?.number ?? 0);
    await world.bot.end('SIGTERM');
    env['MATRIX_OPERATORS'] = '';
    await world.bot.start();
    const member = await world.guest('member');
    const before = { said: world.botSaid().length, turns: await turnCount() };
    for (const event of [
      await member.react(world.roomId, card.eventId, '✅'),
      await world.operator.react(world.roomId, card.eventId, '👍'),
      await world.operator.say(world.roomId, `yes #${row?.number}`),
      await world.operator.say(world.roomId, 'run uptime on host:lab'),
    ]) {
      await world.settle(event);
    }
    expect((await world.execution(row?.number ?? 0)).status).toBe('pending_approval');
    expect({ said: world.botSaid().length, turns: await turnCount() }).toEqual(before);
    expect(world.bot.logTail()).toContain('nobody will be obeyed');
    const ignored = await world.db
      .select()
      .from(auditEvents)
      .where(eq(auditEvents.executionId, row?.id ?? ''));
    expect(
      ignored.filter(({ kind }) => kind === 'decision.ignored').map(({ actor }) => actor),
    ).toEqual([member.userId, world.operator.userId]);
  });

  const turnCount = async () => (await world.db.select().from(turns)).length;
});
