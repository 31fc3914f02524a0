import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { eq, sql } from 'drizzle-orm';
import { describe, expect, it } from 'vitest';
import type { FleetGuest } from '../../daemon/fleet.ts';
import type { HostSlot } from '../../daemon/ssh/transport.ts';
import { findElsewhere } from '../../daemon/whereabouts.ts';
import { until } from '../../lab/services/until.ts';
import { fleetEntities, upsertEntity } from '../../shared/db/entities.ts';
import { insertRule } from '../../shared/db/rules.ts';
import { entities } from '../../shared/db/schema.ts';
import { resolveTarget } from '../../shared/domain/target.ts';
import type { Sealer } from '../../shared/seal.ts';
import { targetContent } from '../../shared/sealed.ts';
import { letRunBy } from '../support/approved-execution.ts';
import { oneExecutor, world } from '../support/daemon-world.ts';
import { labForTests, sshdOf } from '../support/lab.ts';
import { testSeals } from '../support/seals.ts';

const host = { kind: 'host', slug: 'host:box', name: 'box' } as const;
const web = { kind: 'lxc', slug: 'lxc:web', name: 'web', host: 'host:box', vmid: 101 } as const;
const old = { ...web, slug: 'lxc:web-old', name: 'web-old', vmid: 135 } as const;

const lab = labForTests('guests');

async function setup(
  nodes: readonly { slug: string; name: string }[] = [],
  more: readonly FleetGuest[] = [],
) {
  const home = await world();
  const sshd = sshdOf(lab());
  const guests = [web, old, ...more];
  const executor = await oneExecutor(home, { sshd, guests });
  for (const node of nodes) {
    const attributes = { site: home.site };
    const facts = { type: 'host' as const, ...node, state: 'active', attributes };
    await upsertEntity(home.db, facts, new Date());
  }
  return { home, executor };
}

/** The container's own file gets another name, as after a mix-up of ids. */
function rename(vmid: number, from: string, to: string): void {
  const path = join(lab().stateDir, `etc/pve/nodes/lab/lxc/${vmid}.conf`);
  const conf = readFileSync(path, 'utf8');
  writeFileSync(path, conf.replace(`hostname: ${from}\n`, `hostname: ${to}\n`));
}

describe('in a container', () => {
  it('a command runs as it was written, its exit code passed on', async () => {
    const { home, executor } = await setup();
    const command = `printf '%s|' "$HOME" '*' "a  b"; echo "$BASH_VERSION" | grep -c .; exit 5`;
    const id = await home.approve({ target: web, command });
    await executor.execute(id);
    expect(await home.output(id, 'stdout')).toBe('/root|*|a  b|1\n');
    expect(await home.row(id)).toMatchObject({ status: 'failed', exitCode: 5 });
  });

  it('the time limit ends what runs inside', async () => {
    const { home, executor } = await setup();
    const command = `sleep 4711 & (trap '' TERM; sleep 4711; sleep 4711) & wait`;
    const id = await home.approve({ target: web, command, timeLimitMs: 1_000 });
    await executor.execute(id);
    expect(await home.row(id)).toMatchObject({ reason: 'stopped after 1 s: time limit' });
    // The pattern must not find the command line that it stands in.
    const left = await lab().run("grep -al '471[1]' /proc/[0-9]*/cmdline 2>/dev/null; true");
    expect(left.stdout).toBe('');
  });

  it('nothing is changed when the container is another than on the card', async () => {
    const { home, executor } = await setup();
    rename(101, 'web', 'db');
    try {
      const id = await home.approve({ target: web, command: 'touch /root/never' });
      await executor.execute(id);
      expect(await home.row(id)).toMatchObject({
        status: 'refused',
        reason: 'CT 101 on host:box is named db now, not web',
      });
    } finally {
      rename(101, 'db', 'web');
    }
  });
});

describe('a rule', () => {
  it('lets nothing run in a container whose root volume is another now', async () => {
    const { home, executor } = await setup();
    const id = await home.approve({ target: web, command: 'touch /root/never' });
    const rule = await home.db.transaction((tx) =>
      insertRule(tx, testSeals, {
        kind: 'rule',
        agent: 'nomos',
        roomId: '!room:test',
        eventId: '$rule',
        argv: ['touch', '/root/never'],
        targetKind: 'lxc',
        targetSlug: web.slug,
        targetName: web.name,
        hostSlug: web.host,
        vmid: web.vmid,
        rootVolume: 'local-zfs:subvol-101-disk-9',
        dailyCap: 6,
        allowedBy: '@op:test',
        allowedAt: new Date(),
        createdAt: new Date(),
      }),
    );
    await letRunBy(home.db, id, { kind: 'rule', ruleId: rule.id });
    // As the fleet had it when it was last read: only a fresh look can tell.
    const stale = JSON.stringify({ rootVolume: 'local-zfs:subvol-101-disk-9' });
    await home.db.execute(
      sql`update entities set attributes = attributes || ${stale}::jsonb where slug = ${web.slug}`,
    );
    await executor.execute(id);
    expect(await home.row(id)).toMatchObject({
      status: 'refused',
      startedAt: null,
      reason:
        'the root volume of CT 101 is local-zfs:subvol-101-disk-0, and R1 was made for local-zfs:subvol-101-disk-9',
    });
    const [entity] = await home.db.select().from(entities).where(eq(entities.slug, web.slug));
    expect(entity?.attributes.rootVolume).toBe('local-zfs:subvol-101-disk-0');
  });
});

describe('a command on the host that names a container', () => {
  it.each([
    ['of another name now', 'pct stop 135', /CT 135 on host:box is named mail now, not web-old/],
  ])('is refused for one %s', async (_claim, command, reason) => {
    const { home, executor } = await setup();
    rename(135, 'web-old', 'mail');
    try {
      const id = await home.approve({ target: host, command });
      await executor.execute(id);
      expect(await home.row(id)).toMatchObject({
        status: 'refused',
        reason: expect.stringMatching(reason),
      });
    } finally {
      rename(135, 'mail', 'web-old');
    }
  });

  it('may name one that nobody knows yet: the command itself says what is wrong', async () => {
    const { home, executor } = await setup();
    const id = await home.approve({ target: host, command: 'pct stop 999' });
    await executor.execute(id);
    expect(await home.row(id)).toMatchObject({ status: 'failed', exitCode: 255 });
  });

  it('is refused for a guest that its card did not show', async () => {
    const { home, executor } = await setup();
    const id = await home.approve({ target: host, command: 'pct stop 135' });
    await home.db.execute(sql`update executions set guests = '[]'::jsonb where id = ${id}`);
    await executor.execute(id);
    expect(await home.row(id)).toMatchObject({ status: 'refused', startedAt: null });
  });
});

describe('a guest that is not where its card had it', () => {
  const nodes = '/etc/pve/nodes';
  const attic = { slug: 'host:attic', name: 'attic' };

  it('is not touched: it is recorded on its new host, for asking again', async () => {
    const { home, executor } = await setup([attic]);
    await lab().run(
      `mkdir -p ${nodes}/attic/lxc; mv ${nodes}/lab/lxc/101.conf ${nodes}/attic/lxc/`,
    );
    try {
      const moved = 'CT 101 has moved from host:box to host:attic since this was proposed';
      const inside = await home.approve({ target: web, command: 'touch /root/never' });
      await executor.execute(inside);
      expect(await home.row(inside)).toMatchObject({
        status: 'refused',
        startedAt: null,
        reason: `${moved}: ask again for lxc:web`,
      });
      const fleet = await fleetEntities(home.db);
      expect(resolveTarget('lxc:web', fleet)).toEqual({
        ok: true,
        target: { ...web, host: 'host:attic' },
      });
      const again = await home.approve({ target: web, command: 'touch /root/never' });
      await executor.execute(again);
      const reason = 'lxc:web is another machine than when this was proposed';
      expect(await home.row(again)).toMatchObject({ status: 'refused', reason });
      const entity = fleet.find(({ slug }) => slug === 'lxc:web');
      const content = entity && targetContent(entity);
      expect(content && testSeals.fits('target', content, entity.seal ?? null)).toBe(true);
    } finally {
      await lab().run(`mv ${nodes}/attic/lxc/101.conf ${nodes}/lab/lxc/`);
    }
  });

  /** As if `attic` were a node of that site, and the cluster said that the guest is there. */
  const findOn = async (site: string | undefined, seals: Sealer) => {
    const { home } = await setup();
    const attributes = { site: site ?? home.site };
    const facts = { type: 'host' as const, ...attic, state: 'active', attributes };
    await upsertEntity(home.db, facts, new Date());
    const run: HostSlot['run'] = async ({ onOutput }) => {
      onOutput('stdout', '[{"type":"lxc","vmid":101,"name":"web","node":"attic"}]');
      return { kind: 'exited', code: 0 };
    };
    const guest = { kind: 'lxc', vmid: 101, name: 'web' } as const;
    const missing = { guest, host, slug: web.slug };
    const found = findElsewhere({ db: home.db, seals }, { run } as HostSlot, missing);
    const said = await found.catch(String);
    return { said, resolved: resolveTarget('lxc:web', await fleetEntities(home.db)) };
  };

  it('is not looked for on a node of that name on another site', async () => {
    const { said, resolved } = await findOn('elsewhere', testSeals);
    expect(said).toBe('CT 101 is on node attic now, which is no host of the fleet');
    expect(resolved).toEqual({ ok: true, target: web });
  });

  it('stays recorded where it was when its new place cannot be sealed', async () => {
    const seal = () => {
      throw new Error('cannot seal');
    };
    const { said, resolved } = await findOn(undefined, { ...testSeals, seal });
    expect(said).toBe('Error: cannot seal');
    expect(resolved).toEqual({ ok: true, target: web });
  });

  it('is not destroyed when its id is another machine by now, and the fleet says so', async () => {
    const prometheus = { ...web, slug: 'lxc:prometheus', name: 'prometheus', vmid: 104 };
    const { home, executor } = await setup([], [prometheus]);
    const conf = `${nodes}/lab/qemu-server/104.conf`;
    await lab().run(`echo 'name: truenas' >${conf}`);
    const id = await home.approve({ target: host, command: 'pct destroy 104' });
    await executor.execute(id);
    await lab().run(`rm ${conf}`);
    expect(await home.row(id)).toMatchObject({
      status: 'refused',
      startedAt: null,
      reason: '104 is VM truenas on node lab now, not CT prometheus',
    });
    expect(resolveTarget('prometheus', await fleetEntities(home.db))).toEqual({
      ok: false,
      reason:
        'lxc:prometheus is not what fleet.yaml says: 104 is VM truenas on node lab; correct it there',
    });
  });
});

describe('a Proxmox task', () => {
  const isLocked = async () => (await lab().run('pct config 102')).stdout.includes('lock: backup');
  const begun = () => until(async () => expect(await isLocked()).toBe(true));

  it('is stopped by its UPID: its guest is left as it was', async () => {
    const { home, executor } = await setup();
    await lab().setFault('task-takes', '100');
    const id = await home.approve({ target: host, command: 'vzdump 102; touch /root/never' });
    const ended = executor.execute(id);
    await begun();
    executor.stop(id, 'cancel');
    await ended;
    expect(await home.row(id)).toMatchObject({ status: 'cancelled' });
    expect(await isLocked()).toBe(false);
    const tasks = 'pvesh get /nodes/lab/tasks --output-format json; ls /root';
    expect((await lab().run(tasks)).stdout).toMatch(/"exitstatus":"received interrupt"[^\n]*\n$/);
  });

  it('is waited for when its tool is killed, and its end is that of the run', async () => {
    const { home, executor } = await setup();
    await lab().setFault('task-takes', '5');
    const id = await home.approve({ target: host, command: 'vzdump 102' });
    const ended = executor.execute(id);
    await until(async () => {
      const spool = `/var/lib/oikos-runner/${id}/tasks`;
      expect((await lab().run(`cat ${spool}`)).stdout).toMatch(/^UPID:lab:/);
    });
    await lab().run("pkill -9 -f 'main[.]ts vzdump'");
    await ended;
    expect(await home.row(id)).toMatchObject({
      status: 'completed',
      exitCode: 137,
      reason: 'its command was cut off, but its Proxmox task has ended well (OK)',
    });
    expect(await isLocked()).toBe(false);
  });
});
