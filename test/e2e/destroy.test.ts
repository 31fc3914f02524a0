import { asc, eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { approvals, executions } from '../../shared/db/schema.ts';
import { type TestWorld, testWorld } from '../support/world.ts';

describe('destroying a container', () => {
  let world: TestWorld;
  beforeAll(async () => {
    world = await testWorld();
  });
  afterAll(async () => world?.stop());

  it('needs more than a yes, and the bot says what to type', async () => {
    await world.chat('destroy container 135');
    const card = world.card(1);
    expect(card.body).toContain('I confirm destroy 135');
    expect(card.reactions.map(({ key }) => key)).not.toContain('👍');
    await world.chat('yes');
    expect((await world.execution(1)).status).toBe('pending_approval');
    expect(world.botSaid().at(-1)?.body).toContain('I confirm destroy 135');
    const reaction = await world.operator.react(world.roomId, card.eventId, '👍');
    await world.settle(reaction);
    expect((await world.execution(1)).status).toBe('pending_approval');
  });

  it('runs by its sentence; the failure calls the agent, which stops and destroys without another', async () => {
    await world.chat('I confirm destroy 135');
    const rows = await world.db.select().from(executions).orderBy(asc(executions.proposedAt));
    expect(rows.map(({ command, status }) => [command, status])).toEqual([
      ['pct destroy 135', 'failed'],
      ['pct stop 135', 'completed'],
      ['pct destroy 135', 'completed'],
      ['pct list', 'completed'],
    ]);
    expect(rows.slice(1, 3).map(({ authorization }) => authorization?.kind)).toEqual([
      'window',
      'window',
    ]);
    expect(await world.db.select().from(approvals)).toHaveLength(1);
    const answer = world
      .botSaid()
      .filter(({ msgtype }) => msgtype === 'm.text')
      .at(-1)?.body;
    expect(answer).toContain('Container 135 is destroyed');
    const listed = await world.host.run('pct list');
    expect(listed.stdout).not.toContain('135');
    expect(listed.stdout).toContain('101');
  });

  it('asks anew for another guest', async () => {
    await world.chat('destroy container 102');
    const rows = await world.db
      .select()
      .from(executions)
      .where(eq(executions.command, 'pct destroy 102'));
    expect(rows).toMatchObject([{ status: 'pending_approval' }]);
    await world.chat('I confirm destroy 135');
    expect((await world.host.run('pct list')).stdout).toContain('102');
  });

  it('tells how long a host was away that was rebooted', async () => {
    await world.chat('!oikos run host:lab reboot');
    await world.chat('I confirm reboot lab');
    const [row] = await world.db.select().from(executions).where(eq(executions.command, 'reboot'));
    expect(row).toMatchObject({ status: 'completed' });
    const line = /^host:lab is back after \d+(\.\d)? s\. #\d+ is done: reboot on host:lab\.$/;
    expect(world.botSaid().filter(({ body }) => line.test(body))).toHaveLength(1);
  });
});
