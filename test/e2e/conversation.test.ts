import { asc, eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { asked, rule } from '../../lab/model/scenario.ts';
import { demoScenario } from '../../lab/model/scenarios/demo.ts';
import { lastRun, runs } from '../../lab/model/scenarios/steps.ts';
import { executions, windows } from '../../shared/db/schema.ts';
import { type TestWorld, testWorld } from '../support/world.ts';

/** Looks at a file; when that fails, looks at its folder instead. */
const lookFor = rule({
  name: 'look for',
  when: asked(/^look for (\S+) on (\S+)$/),
  reply(view, [, path = '', target = '']) {
    const first = lastRun(view, `cat ${path}`);
    if (!first) return runs(target, `cat ${path}`, 'See what is in it');
    const second = lastRun(view, 'ls -la /srv');
    if (!second) return runs(target, 'ls -la /srv', 'The file is not there: see what is');
    return { text: `exit ${first.exitCode}: ${first.output.trim()}; the folder: ${second.state}` };
  },
});

describe('a conversation on real parts', () => {
  let world: TestWorld;
  beforeAll(async () => {
    world = await testWorld({ scenario: [lookFor, ...demoScenario] });
  });
  afterAll(async () => world?.stop());

  const lastWords = () => world.botSaid().at(-1)?.body ?? '';

  it('reads at once and answers with the real figures', async () => {
    await world.chat('how full are the disks on host:lab?');
    const df = await world.host.run('df -h / | tail -1');
    const percent = /(\d+)%/.exec(df.stdout)?.[1] ?? 'no figure';
    const answer = world.botSaid().find(({ msgtype }) => msgtype === 'm.text')?.body ?? '';
    expect(answer).toContain('%');
    expect(answer).toContain(percent);
    const [row] = await world.db.select().from(executions);
    expect(row).toMatchObject({
      risk: 'read_only',
      status: 'completed',
      exitCode: 0,
      authorization: { kind: 'read_only' },
    });
  });

  it('puts a change on a card that says everything, and runs nothing', async () => {
    await world.chat('restart nginx on lxc:web');
    const card = world.card(1).body;
    for (const part of [
      '#1 needs your yes: systemctl restart nginx on lxc:web',
      'lxc:web (CT 101 "web" on host:lab)',
      'Nomos says:',
      'until ',
      '👍',
    ]) {
      expect(card).toContain(part);
    }
    expect((await world.execution(1)).status).toBe('pending_approval');
    expect(
      world
        .card(1)
        .reactions.map(({ key }) => key)
        .toSorted(),
    ).toEqual(['👍', '👎']);
  });

  it('runs it after “go ahead”, shows the result on the card, and verifies by itself', async () => {
    await world.chat('go ahead');
    expect(await world.execution(1)).toMatchObject({ status: 'completed', exitCode: 0 });
    expect(world.card(1).body).toContain('completed');
    const answer = world
      .botSaid()
      .filter(({ msgtype }) => msgtype === 'm.text')
      .at(-1)?.body;
    expect(answer).toContain('nginx is active again on lxc:web');
    const verified = await world.db
      .select()
      .from(executions)
      .where(eq(executions.command, 'systemctl is-active nginx'));
    expect(verified).toMatchObject([{ status: 'completed', risk: 'read_only' }]);
  });

  it('tells the agent how a command failed, and the agent tries another way unasked', async () => {
    await world.chat('look for /srv/missing on lxc:web');
    const rows = await world.db
      .select()
      .from(executions)
      .where(eq(executions.targetSlug, 'lxc:web'))
      .orderBy(asc(executions.proposedAt));
    expect(rows.slice(-2)).toMatchObject([
      { command: 'cat /srv/missing', status: 'failed', exitCode: 1 },
      { command: 'ls -la /srv', status: 'completed', exitCode: 0 },
    ]);
    expect(lastWords()).toMatch(/exit 1: .*\/srv\/missing: No such file/);
  });

  it('says what targets there are when one is unknown', async () => {
    await world.chat('run uptime on lxc:nowhere');
    const answer = world
      .botSaid()
      .map(({ body }) => body)
      .join('\n');
    expect(answer).toContain('lxc:nowhere');
    expect(answer).toContain('host:lab');
  });

  it('keeps the operator’s yes for thirty minutes, says so with the time left, then asks again', async () => {
    await world.moveClock(10_000);
    await world.chat('run touch /srv/one on host:lab');
    await world.chat('go ahead');
    await world.chat('run touch /srv/two on host:lab');
    const two = await byCommand('touch /srv/two');
    expect(two).toMatchObject({ status: 'completed', authorization: { kind: 'window' } });
    const line = world.card(two?.number ?? 0);
    expect(line.msgtype).toBe('m.notice');
    expect(line.body).toMatch(/min/);
    expect(await world.db.select().from(windows)).not.toEqual([]);
    await world.moveClock(10_031);
    await world.chat('run touch /srv/three on host:lab');
    expect(await byCommand('touch /srv/three')).toMatchObject({ status: 'pending_approval' });
    expect((await world.host.run('ls /srv')).stdout).not.toContain('three');
  });

  it('does not carry what was read in lxc:web to host:lab under that window', async () => {
    await world.chat('no');
    await world.moveClock(20_000);
    await world.chat('run touch /srv/four on lxc:web');
    await world.chat('go ahead');
    await world.chat('run cat /etc/hostname on lxc:web');
    await world.chat('run touch /srv/five on lxc:web');
    expect(await byCommand('touch /srv/five')).toMatchObject({
      status: 'completed',
      authorization: { kind: 'window' },
    });
    await world.chat('run touch /srv/six on host:lab');
    expect(await byCommand('touch /srv/six')).toMatchObject({ status: 'pending_approval' });
    await world.chat('no');
  });

  it('ends a running command and the turn that waits for it at the word stop', async () => {
    await world.operator.say(world.roomId, 'run sleep 40 on host:lab');
    const deadline = performance.now() + 15_000;
    while ((await byCommand('sleep 40'))?.status !== 'running') {
      if (performance.now() > deadline) throw new Error('it did not start');
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    const requests = world.model.requests.length;
    const began = performance.now();
    await world.chat('stop');
    expect(performance.now() - began).toBeLessThan(20_000);
    expect(await byCommand('sleep 40')).toMatchObject({ status: 'cancelled' });
    expect(world.model.requests).toHaveLength(requests);
    expect(world.botSaid().some(({ body }) => body.includes('ending 1 running command'))).toBe(
      true,
    );
  });

  async function byCommand(command: string) {
    const [row] = await world.db.select().from(executions).where(eq(executions.command, command));
    return row;
  }
});
