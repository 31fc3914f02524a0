import { sql } from 'drizzle-orm';
import { afterEach, describe, expect, it } from 'vitest';

import { syncFleet } from '../../daemon/fleet-file.ts';
import { recoverOrphans } from '../../daemon/recovery.ts';
import { until } from '../../lab/services/until.ts';
import { moveClock } from '../support/clock.ts';
import { executorsFor, type World, world } from '../support/daemon-world.ts';
import { labForTests, sshdOf } from '../support/lab.ts';
import { testSeals } from '../support/seals.ts';

const web = { kind: 'lxc', slug: 'lxc:web', name: 'web', host: 'host:box', vmid: 101 } as const;
const host = { kind: 'host', slug: 'host:box', name: 'box' } as const;
/** Lines, one a start, in a file that outlives a reboot. */
const STARTS = 'echo start >>/root/starts';

const lab = labForTests('restarts');

afterEach(async () => {
  await lab().powerOn();
  for (const fault of ['boot-takes', 'start-fails-101']) await lab().setFault(fault, null);
  await lab().run('pct start 101');
});

async function setup(more: { concurrency?: number } = {}) {
  const home = await world();
  const sshd = sshdOf(lab());
  const [first, second] = executorsFor(home, 2, { sshd, guests: [web], ...more });
  if (!first || !second) throw new Error('no executors');
  await syncFleet(home.db, first.fleet, home.site, testSeals);
  await lab().run('rm -f /root/starts');
  return { home, executor: first.executor, next: second.executor };
}

const startsOn = async () => (await lab().run('wc -l </root/starts')).stdout.trim();
const BACK = /^(host:box|lxc:web) is back after \d+(\.\d)? s$/;

/** The limits of a restart are minutes: they are moved past, not waited for. */
function later(home: World, minutes: number) {
  return moveClock(home.db, minutes * 60_000);
}

describe('a host that reboots', () => {
  it('ends its run with its return, and nothing is started twice', async () => {
    const { home, executor } = await setup();
    const id = await home.approve({ target: host, command: `${STARTS}; echo bye && reboot` });
    await executor.execute(id);
    const row = await home.row(id);
    expect(row).toMatchObject({
      status: 'completed',
      reason: expect.stringMatching(BACK),
      bootBefore: expect.stringMatching(/^[0-9a-f-]{36}$/),
      unreachableSince: null,
    });
    expect(await home.output(id, 'stdout')).toBe('bye\n');
    expect(await startsOn()).toBe('1');
    expect((await lab().run('ls -A /var/lib/oikos-runner')).stdout).toBe('');
    const boot = await lab().run('cat /proc/sys/kernel/random/boot_id');
    expect(boot.stdout.trim()).not.toBe(row.bootBefore);
  });

  it('ends it also when its daemon went down with it', async () => {
    const { home, executor, next } = await setup();
    // It comes back when its daemon is gone, however long that takes to go.
    await lab().setFault('boot-takes', 'never');
    const id = await home.approve({ target: host, command: `${STARTS}; reboot` });
    void executor.execute(id);
    await until(async () => expect((await home.row(id)).unreachableSince).not.toBeNull());
    await executor.drain(5_000);
    expect((await home.row(id)).unreachableSince).not.toBeNull();
    // One that is killed stores nothing more; its lease runs out.
    await home.db.execute(
      sql`update executions set owner = 'gone/1', lease_until = oikos_now() - interval '40 s', unreachable_since = null where id = ${id}`,
    );
    const who = { daemon: 'e1', owner: 'e1/1', site: home.site, holds: () => false };
    await recoverOrphans(home.db, { ...who, adopt: (run) => void next.adopt(run) });
    await lab().powerOn();
    const row = await home.ended(id, 60_000);
    expect(row).toMatchObject({ status: 'completed', owner: 'e1/1' });
    // Last seen with the last renewal of its lease, 20 s before it ran out.
    const [, seconds] = /is back after (?:1 min )?(\d+) s$/.exec(row.reason ?? '') ?? [];
    expect(row.reason).toMatch(/^host:box is back after 1 min \d+ s$/);
    expect(Number(seconds)).toBeLessThan(30);
    expect(await startsOn()).toBe('1');
  }, 90_000);

  it('that does not come back fails its run after the limit', async () => {
    const { home, executor } = await setup();
    await lab().setFault('boot-takes', 'never');
    // Killed in its sleep: nobody hears how the command itself ended.
    const id = await home.approve({ target: host, command: 'reboot; sleep 60' });
    void executor.execute(id);
    await until(async () => expect((await home.row(id)).unreachableSince).not.toBeNull());
    await later(home, 16);
    expect(await home.ended(id, 40_000)).toMatchObject({
      status: 'failed',
      reason: 'host:box has not come back within 15 min',
    });
  });

  it('that stays in its boot fails its run after the limit, and holds no place meanwhile', async () => {
    const { home, executor } = await setup({ concurrency: 1 });
    await lab().run(
      'printf "#!/bin/sh\\nexit 0\\n" >/usr/local/bin/kexec; chmod 755 /usr/local/bin/kexec',
    );
    const id = await home.approve({ target: host, command: 'kexec -e' });
    void executor.execute(id);
    await until(async () => expect((await home.row(id)).startedAt).not.toBeNull());
    const other = await home.approve({ target: host, command: 'true' });
    void executor.execute(other);
    expect(await home.ended(other)).toMatchObject({ status: 'completed' });
    expect((await home.row(id)).endedAt).toBeNull();
    let minutes = 0;
    await until(
      async () => {
        minutes += 16;
        await later(home, minutes);
        expect((await home.row(id)).endedAt).not.toBeNull();
      },
      { patienceMs: 40_000, everyMs: 1_000 },
    );
    expect(await home.row(id)).toMatchObject({
      status: 'failed',
      reason: 'host:box did not reboot within 15 min: it still is in the same boot',
    });
  });
});

describe('a container that reboots', () => {
  it.each([
    ['from its host', host, 'pct reboot 101'],
    ['from inside, at the end of a list', web, 'echo bye && systemctl reboot'],
  ])('%s ends its run with its return', async (_claim, target, command) => {
    const { home, executor } = await setup();
    const id = await home.approve({ target, command });
    await executor.execute(id);
    expect(await home.row(id)).toMatchObject({
      status: 'completed',
      reason: expect.stringMatching(/^lxc:web is back after \d+(\.\d)? s$/),
    });
  });
});
