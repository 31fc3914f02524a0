import { asc } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { executions } from '../../shared/db/schema.ts';
import { type TestWorld, testWorld } from '../support/world.ts';

describe('what a host may do to us', () => {
  let world: TestWorld;
  beforeAll(async () => {
    world = await testWorld();
  });
  afterAll(async () => world?.stop());

  const newest = async () =>
    (await world.db.select().from(executions).orderBy(asc(executions.proposedAt))).at(-1);
  const said = () =>
    world
      .botSaid()
      .map(({ body }) => body)
      .join('\n');

  it('runs in a guest by pct exec with a clean environment, through its Proxmox host', async () => {
    await world.chat('run hostname on lxc:dns');
    expect(await newest()).toMatchObject({ hostSlug: 'host:lab', vmid: 102, status: 'completed' });
    expect(said()).toContain('dns');
    await world.chat('run printenv SSH_CONNECTION on lxc:dns');
    await world.chat('stop');
    const leaked =
      (await newest())?.command === 'printenv SSH_CONNECTION' && said().includes('127.0.0.1');
    expect(leaked).toBe(false);
  });

  it('says so when the host is down, and does not hang', async () => {
    await world.host.stopSshd();
    const began = performance.now();
    await world.chat('how full are the disks on host:lab?');
    expect(performance.now() - began).toBeLessThan(30_000);
    expect(['refused', 'failed']).toContain((await newest())?.status);
    expect(said()).toMatch(/cannot be reached|refused|not reachable|did not answer/i);
    await world.host.startSshd();
  });

  it('refuses a host whose key changed, and nothing runs', async () => {
    await world.host.changeHostKey();
    await world.chat('run uptime on host:lab');
    expect(await newest()).toMatchObject({ status: 'refused', startedAt: null });
    expect((await newest())?.reason).toMatch(/key/i);
    expect(said()).toMatch(/key/i);
  });
});
