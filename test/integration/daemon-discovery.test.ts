import { readFileSync } from 'node:fs';
import { sql } from 'drizzle-orm';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createDiscovery } from '../../daemon/discovery.ts';
import type { Fleet } from '../../daemon/fleet.ts';
import { syncFleet } from '../../daemon/fleet-file.ts';
import { createSshPool } from '../../daemon/ssh/pool.ts';
import { until } from '../../lab/services/until.ts';
import { entities } from '../../shared/db/schema.ts';
import { moveClock } from '../support/clock.ts';
import { daemonFor, oneExecutor, world } from '../support/daemon-world.ts';
import { labForTests, sshdOf } from '../support/lab.ts';
import { testSeals } from '../support/seals.ts';

const web = { kind: 'lxc', slug: 'lxc:web', name: 'web', host: 'host:box', vmid: 101 } as const;
const dns = { kind: 'lxc', slug: 'lxc:dns', name: 'dns', host: 'host:box', vmid: 102 } as const;
const log = { info: () => undefined, debug: () => undefined };

const lab = labForTests('discovery');

const sshd = () => sshdOf(lab());

type Home = Awaited<ReturnType<typeof world>>;

async function attributes(home: Home, slug: string) {
  const rows = await home.db.select().from(entities);
  return rows.find((row) => row.slug === slug)?.attributes;
}

/** A database that knows the fleet, and what asks its machines. */
async function setup() {
  const home = await world();
  const { site } = home;
  const { user, ...way } = sshd();
  const box = { slug: 'host:box', address: '127.0.0.1', user, ...way };
  const host = { ...box, passphraseFile: undefined, jump: undefined, site, sudo: false };
  const fleet: Fleet = { hosts: [host], guests: [web, dns] };
  await syncFleet(home.db, fleet, site, testSeals);
  const transport = createSshPool({
    hosts: fleet.hosts,
    connectMs: 5_000,
    readFile: async (path) => readFileSync(path),
  });
  onTestFinished(() => transport.close());
  const own = { hostname: 'elsewhere', addresses: ['192.0.2.102'] };
  return { home, fleet, discovery: createDiscovery({ db: home.db, transport, fleet, own, log }) };
}

/** A guest like Alpine: what was /bin/bash there can be run no more. */
async function takeBashFrom(vmid: number): Promise<void> {
  const { code, stderr } = await lab().run(`pct exec ${vmid} -- mount --bind /dev/null /bin/bash`);
  expect([code, stderr]).toEqual([0, '']);
  onTestFinished(async () => {
    await lab().run(`pct exec ${vmid} -- umount /bin/bash`);
  });
}

describe('at first contact', () => {
  it('the shell of the host and of each guest is learnt, also where there is no bash', async () => {
    const { home, discovery } = await setup();
    await takeBashFrom(101);
    expect(await attributes(home, 'lxc:web')).not.toHaveProperty('shell');
    await discovery.run();
    expect(await attributes(home, 'host:box')).toMatchObject({ shell: 'bash' });
    expect(await attributes(home, 'lxc:dns')).toMatchObject({ shell: 'bash', looksOwn: true });
    expect(await attributes(home, 'lxc:web')).toMatchObject({ shell: 'posix', looksOwn: false });
  });

  it('the folders are learnt that guests may write, and refreshed', async () => {
    const { home, discovery } = await setup();
    const folders = async () => (await attributes(home, 'host:box'))?.guestWritable;
    await lab().run("echo '/srv/share *(rw)' > /etc/exports");
    await lab().run("sed -i '1i mp0: /srv/media,mp=/media' /etc/pve/nodes/lab/lxc/101.conf");
    await discovery.run();
    expect(await folders()).toEqual(['/srv/media', '/srv/share']);
    await lab().run("sed -i '/^mp0/d' /etc/pve/nodes/lab/lxc/101.conf");
    await moveClock(home.db, 11 * 60_000);
    await discovery.run();
    expect(await folders()).toEqual(['/srv/share']);
  });
});

it('a shell that is gone runs nothing, and is learnt anew', async () => {
  const { home, discovery } = await setup();
  const executor = await oneExecutor(home, { sshd: sshd(), guests: [web, dns] });
  await discovery.run();
  await takeBashFrom(101);
  const id = await home.approve({ target: web, command: 'touch /root/ran' });
  await executor.execute(id);
  const row = await home.row(id);
  expect(row).toMatchObject({ status: 'failed' });
  expect((await lab().run('ls /var/lib/lxc/101/rootfs/root/ran')).code).not.toBe(0);
  discovery.noteEnded(row);
  await discovery.run();
  expect(await attributes(home, 'lxc:web')).toMatchObject({ shell: 'posix' });
  const again = await home.approve({ target: web, command: 'touch /root/ran' });
  await executor.execute(again);
  expect(await home.row(again)).toMatchObject({
    status: 'refused',
    reason: 'lxc:web has no bash, but the command was judged for bash',
  });
});

it('a change of a place makes the daemon ask there again at once', async () => {
  const home = await world();
  const { ring } = await daemonFor(home, { sshd: sshd() });
  const learnt = () =>
    until(async () => {
      expect(await attributes(home, 'host:box')).toMatchObject({ shell: 'bash' });
    });
  await learnt();
  await home.db.update(entities).set({ attributes: sql`${entities.attributes} - 'shell'` });
  const id = await home.approve({ command: 'touch /root/changed' });
  await ring(id);
  await home.ended(id);
  await learnt();
});

it('a floor of fleet.yaml is the entity’s, until the file has it no longer', async () => {
  const { home, fleet } = await setup();
  const floor = 'destructive' as const;
  await syncFleet(home.db, { ...fleet, guests: [{ ...web, floor }, dns] }, home.site, testSeals);
  expect(await attributes(home, 'lxc:web')).toMatchObject({ floor });
  expect(await attributes(home, 'host:box')).toMatchObject({ floor: null });
  await syncFleet(home.db, fleet, home.site, testSeals);
  expect(await attributes(home, 'lxc:web')).toMatchObject({ floor: null });
});
