import { mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from 'ssh2';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type LabHost, type LabHostOptions, startLabHost } from '../../lab/host/lab-host.ts';
import {
  connectTo,
  openCommand,
  openShell,
  outcomeOf,
  runOver,
  type SshOutcome,
} from '../../lab/host/ssh-client.ts';

/** Everything started here is ended here, newest first, also after a failed test. */
const cleanups: (() => Promise<void> | void)[] = [];
let lab: LabHost;

beforeAll(async () => {
  lab = await newLab('lab');
});

afterAll(async () => {
  for (const cleanup of cleanups.reverse()) await cleanup();
});

describe('the lab host over SSH', () => {
  it('answers as a machine of its own, as root', async () => {
    expect(await say('id -u; hostname; cat /proc/1/comm')).toMatchObject({
      code: 0,
      stdout: '0\nlab\nbash\n',
    });
    expect((await say('df -h')).stdout).toMatch(/^Filesystem.*\n.* \/\n/s);
    expect((await say('uptime')).stdout).toContain('load average');
    expect((await say('free')).stdout).toMatch(/^Mem: /m);
    expect((await say('tail -n +3 /proc/net/dev')).stdout).toMatch(/^\s*lo:[^\n]*\n$/);
  });

  it('shows nothing of the machine and lets nothing of it be changed', async () => {
    const here = import.meta.dirname;
    expect(await say(`ls ${here}`)).toMatchObject({ code: 2 });
    expect((await say('cat /etc/shadow')).stdout).toBe('root:*:20000:0:99999:7:::\n');
    expect((await say('ls -A /home /root /mnt')).stdout).toBe('/home:\n\n/mnt:\n\n/root:\n');
    expect((await say('touch /usr/lab-was-here')).stderr).toContain('Read-only file system');
    expect((await say('mount -o remount,bind,rw /usr')).code).not.toBe(0);
    expect((await say('echo 1 >/proc/sys/vm/drop_caches')).code).not.toBe(0);
    expect((await say('test -c /dev/null && ! test -e /dev/mem')).code).toBe(0);
    expect((await say('env | cut -d= -f1 | sort | tr "\\n" " "')).stdout).toBe(
      'HOME LC_ALL LOGNAME PATH PWD SHELL USER ',
    );
  });

  it('gives exit codes, both streams and stdin through', async () => {
    expect(await say('sh -s', 'echo out; echo err >&2; exit 7')).toEqual({
      code: 7,
      signal: undefined,
      stdout: 'out\n',
      stderr: 'err\n',
    });
    const large = 'x'.repeat(300_000);
    expect((await say('wc -c', large)).stdout.trim()).toBe('300000');
  });

  it('refuses to be a login shell', async () => {
    expect(await outcomeOf(await openShell(await client(lab)))).toMatchObject({ code: 1 });
  });

  it('reaps the orphans that commands leave', async () => {
    await say('sleep 0.05 >/dev/null 2>&1 & exit 0');
    await until(async () => (await say('pgrep -x -f "sleep 0.05"')).code === 1);
    expect((await say('ps -eo stat')).stdout).not.toMatch(/^Z/m);
  });

  it('ends the whole group on a signal of the client', async () => {
    const channel = await openCommand(await client(lab), 'sleep 4711 | sleep 4711');
    await until(async () => (await lab.run('pgrep -fcx "sleep 4711"')).stdout === '2\n');
    const ended = outcomeOf(channel);
    channel.signal('TERM');
    expect(await within(2000, ended)).toMatchObject({ signal: 'TERM' });
    expect((await lab.run('pgrep -fx "sleep 4711"')).code).toBe(1);
  });
});

describe('pct', () => {
  it('lists the containers', async () => {
    expect((await say('pct list')).stdout).toBe(
      [
        'VMID       Status     Lock         Name                ',
        '101        running                 web                 ',
        '102        running                 dns                 ',
        '110        running                 db                  ',
        '135        running                 web-old             ',
        '140        stopped                 scratch             ',
        '',
      ].join('\n'),
    );
  });

  it('runs argv in the container as it is, and gives the exit code back', async () => {
    expect((await say(`pct exec 101 -- /bin/echo '*' '$HOME' 'a  b'`)).stdout).toBe(
      '* $HOME a  b\n',
    );
    expect((await say('pct exec 101 hostname')).stdout).toBe('web\n');
    expect(await say('pct exec 101 -- sh -c "exit 42"')).toMatchObject({ code: 42 });
    expect(await say('pct exec 101 -- sh -c "kill -TERM \\$\\$"')).toMatchObject({ code: 143 });
    expect(await say('pct exec 101 -- nosuchcmd')).toEqual({
      code: 127,
      signal: undefined,
      stdout: '',
      stderr:
        'lxc-attach: 101: ../src/lxc/attach.c: lxc_attach_run_command: 1841 No such file or directory - Failed to exec "nosuchcmd"\n',
    });
    expect((await say('pct exec 101 ls -la /')).stderr).toContain('Unknown option: la\n');
    expect((await say('echo in | pct exec 101 -- cat')).stdout).toBe('in\n');
    expect(await say('pct exec 140 -- true')).toMatchObject({
      code: 255,
      stderr: "container '140' not running!\n",
    });
  });

  it('leaks the environment of the caller unless told not to', async () => {
    const leaked = 'SECRET=s pct exec 101 --keep-env';
    expect((await say(`${leaked} 1 -- printenv SECRET`)).stdout).toBe('s\n');
    expect((await say('SECRET=s pct exec 101 -- printenv SECRET')).stdout).toBe('s\n');
    expect((await say(`${leaked} 0 -- printenv SECRET`)).code).toBe(1);
  });

  it('keeps containers apart from the host and from each other', async () => {
    await say('pct exec 101 -- touch /root/mine /tmp/mine');
    expect((await say('ls /root /tmp')).stdout).not.toContain('mine');
    expect((await say('pct exec 102 -- ls /root /tmp')).stdout).not.toContain('mine');
    expect((await say('pct exec 101 -- ps -e')).stdout).not.toContain('sshd-session');
    expect((await say('pct exec 101 -- touch /usr/x')).stderr).toContain('Read-only');
  });

  it('lets the group of its caller be ended, command in the container included', async () => {
    const channel = await openCommand(await client(lab), 'pct exec 101 -- sleep 4712');
    await until(async () => (await lab.run('pgrep -fx "sleep 4712"')).code === 0);
    const ended = outcomeOf(channel);
    channel.signal('TERM');
    await within(2000, ended);
    await within(
      2000,
      until(async () => (await lab.run('pgrep -fx "sleep 4712"')).code === 1),
    );
  });

  it('refuses to destroy what runs, then stops and destroys it', async () => {
    expect(await say('pct destroy 135')).toMatchObject({
      code: 255,
      stderr: 'unable to destroy CT 135 - container is running\n',
    });
    expect((await say('pct status 135')).stdout).toBe('status: running\n');
    expect(await say('pct stop 135')).toMatchObject({ code: 0, stdout: '', stderr: '' });
    expect(await say('pct stop 135')).toMatchObject({ code: 255, stderr: 'CT 135 not running\n' });
    expect(await say('pct destroy 135')).toMatchObject({ code: 0, stdout: '', stderr: '' });
    expect(await say('pct status 135')).toMatchObject({
      code: 2,
      stderr: "Configuration file 'nodes/lab/lxc/135.conf' does not exist\n",
    });
    await lab.reset(135);
    expect((await say('pct status 135')).stdout).toBe('status: running\n');
  });

  it('starts a container that outlives the command, once', async () => {
    await lab.setFault('slow-start-140', '0.3');
    const both = await Promise.all([say('pct start 140'), say('pct start 140')]);
    expect(both.map(({ code }) => code).sort()).toEqual([0, 255]);
    await lab.setFault('slow-start-140', null);
    expect((await say('pct exec 140 -- systemctl is-active ssh')).stdout).toBe('active\n');
    expect(await say('pct shutdown 140')).toMatchObject({ code: 0 });
    expect((await say('pct status 140')).stdout).toBe('status: stopped\n');
  });

  it('does not bring a locked container back from a reboot', async () => {
    await say('echo "lock: backup" >>/etc/pve/nodes/lab/lxc/135.conf');
    expect(await say('pct stop 135')).toMatchObject({ stderr: 'CT is locked (backup)\n' });
    expect(await say('pct reboot 135')).toMatchObject({ stderr: 'CT is locked (backup)\n' });
    expect((await say('pct list')).stdout).toContain('135        stopped    backup ');
    await say('pct unlock 135');
    expect(await say('pct start 135')).toMatchObject({ code: 0 });
  });

  it('fails as its fault switches say', async () => {
    await lab.setFault('lock-held-140', '');
    await lab.setFault('lock-patience', '100');
    expect(await say('pct start 140')).toMatchObject({
      code: 255,
      stdout: 'trying to acquire lock...\n',
      stderr: "can't lock file '/run/lock/lxc/pve-config-140.lock' - got timeout\n",
    });
    await lab.setFault('lock-held-140', null);
    await lab.setFault('start-fails-140', '');
    expect(await say('pct start 140')).toMatchObject({
      code: 255,
      stderr: "startup for container '140' failed\n",
    });
    await lab.setFault('start-fails-140', null);
  });
});

describe('the other tools', () => {
  it('pvesh reports what pct reports', async () => {
    const said = await say('pvesh get /cluster/resources --type vm --output-format json');
    const resources: unknown = JSON.parse(said.stdout);
    expect(resources).toHaveLength(5);
    expect(resources).toContainEqual(
      expect.objectContaining({ id: 'lxc/101', name: 'web', node: 'lab', status: 'running' }),
    );
    expect((await say('pvesh get /version --output-format json')).stdout).toBe(
      '{"release":"9.2","repoid":"14a22df3","version":"9.2.11"}\n',
    );
  });

  it('qm has no machines', async () => {
    expect(await say('qm list')).toMatchObject({ code: 0, stdout: '' });
    expect((await say('qm config 101')).stderr).toBe(
      "Configuration file 'nodes/lab/qemu-server/101.conf' does not exist\n",
    );
  });

  it('systemctl restarts a unit, whose process then is a new one', async () => {
    const pid = async () =>
      (await say('pct exec 101 -- systemctl show -p MainPID --value nginx')).stdout.trim();
    const before = await pid();
    expect(await say('pct exec 101 -- systemctl restart nginx')).toMatchObject({ code: 0 });
    expect(await pid()).not.toBe(before);
    expect((await say(`pct exec 101 -- ps -p ${await pid()} -o args=`)).stdout).toContain('nginx');
    expect((await say('pct exec 101 -- journalctl -u nginx -n 1 -o cat')).stdout).toContain(
      'Started nginx.service',
    );
  });

  it('systemctl stops and starts, with the exit codes of systemd', async () => {
    await say('pct exec 102 -- systemctl stop cron');
    expect(await say('pct exec 102 -- systemctl is-active cron')).toMatchObject({
      code: 3,
      stdout: 'inactive\n',
    });
    expect((await say('pct exec 102 -- systemctl status cron')).code).toBe(3);
    expect((await say('systemctl status nosuch')).code).toBe(4);
    expect((await say('systemctl start nosuch')).code).toBe(5);
    expect((await say('systemctl --failed --no-pager')).stdout).toContain('backup-mirror.service');
    expect((await say('/usr/bin/systemctl is-system-running')).stdout).toBe('degraded\n');
  });

  it('nginx finds a broken file, and then neither reloads nor restarts', async () => {
    expect(await say('pct exec 101 -- nginx -t')).toMatchObject({ code: 0 });
    await say('pct exec 101 -- sh -c "echo oops } >>/etc/nginx/nginx.conf"');
    expect((await say('pct exec 101 -- nginx -t')).stderr).toContain(
      'nginx: [emerg] unexpected "}" in /etc/nginx/nginx.conf:13\n',
    );
    expect((await say('pct exec 101 -- systemctl restart nginx')).code).toBe(1);
    expect((await say('pct exec 101 -- systemctl is-active nginx')).stdout).toBe('failed\n');
    await lab.reset(101);
    expect((await say('pct exec 101 -- systemctl is-active nginx')).stdout).toBe('active\n');
  });
});

describe('the lab host as a whole', () => {
  it('can be down and come back', async () => {
    await lab.stopSshd();
    await expect(connectTo(lab)).rejects.toThrow('ECONNREFUSED');
    await lab.startSshd();
    expect((await say('true')).code).toBe(0);
  });

  it('can change its host key', async () => {
    const before = lab.hostKeyFingerprint;
    await lab.changeHostKey();
    expect(lab.hostKeyFingerprint).not.toBe(before);
    expect((await say('true')).code).toBe(0);
    await expect(connectTo(lab, before)).rejects.toThrow('verification failed');
  });

  it('goes back to its beginning', async () => {
    await say('touch /root/mine; pct stop 102; pct destroy 102');
    await lab.reset();
    expect((await say('ls /root')).stdout).toBe('');
    expect((await say('pct status 102')).stdout).toBe('status: running\n');
  });

  it('has room for a second one, which refuses signals, and leaves no process behind', async () => {
    const second = await newLab('lab2', { obeysSignals: false });
    expect(
      (await say('hostname; pvesh get /nodes --output-format json', '', second)).stdout,
    ).toMatch(/^lab2\n.*"id":"node\/lab2"/);
    const left = await openCommand(await client(second), 'pct exec 101 -- sleep 4713');
    left.on('error', () => undefined);
    await until(async () => (await second.run('pgrep -fx "sleep 4713"')).code === 0);
    left.signal('TERM');
    await say('true', '', second);
    expect((await second.run('pgrep -fx "sleep 4713"')).code).toBe(0);
    const inside = (
      await second.run('readlink /proc/self/ns/mnt; pct exec 101 -- readlink /proc/self/ns/mnt')
    ).stdout
      .trim()
      .split('\n');
    expect(inside).toHaveLength(2);
    expect(processesOf(second, inside).length).toBeGreaterThan(10);
    await second.stop();
    expect(processesOf(second, inside)).toEqual([]);
    expect((await say('true')).code).toBe(0);
  });
});

async function newLab(name: string, options: Partial<LabHostOptions> = {}): Promise<LabHost> {
  const dir = mkdtempSync(join(tmpdir(), 'oikos-lab-'));
  cleanups.push(() => rmSync(dir, { recursive: true, force: true }));
  const host = await startLabHost({ dir, name, ...options });
  cleanups.push(() => host.stop());
  return host;
}

async function say(command: string, input = '', host: LabHost = lab): Promise<SshOutcome> {
  return runOver(await client(host), command, input);
}

const clients = new Map<LabHost, Client>();

/** One connection a host, made again when it was cut. */
async function client(host: LabHost): Promise<Client> {
  const known = clients.get(host);
  if (known) return known;
  const made = await connectTo(host);
  clients.set(host, made);
  made.once('close', () => clients.delete(host));
  return made;
}

/** Asks again until it holds; the test's time limit is the limit. */
async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await sleep(30);
}

async function within<T>(ms: number, promise: Promise<T>): Promise<T> {
  const late = sleep(ms, undefined, { ref: false }).then(() => {
    throw new Error(`not within ${ms} ms`);
  });
  return Promise.race([promise, late]);
}

/** By the mark in the environment of the outer ones, and by the namespaces of those inside. */
function processesOf(host: LabHost, namespaces: readonly string[]): number[] {
  const dir = host.stateDir.replace(/\/root$/, '');
  return readdirSync('/proc')
    .map(Number)
    .filter(Number.isInteger)
    .filter((pid) => {
      const mark = readOr('', () => readFileSync(`/proc/${pid}/environ`, 'utf8'));
      const namespace = readOr('', () => readlinkSync(`/proc/${pid}/ns/mnt`));
      return mark.includes(`OIKOS_LAB=${dir}`) || namespaces.includes(namespace);
    });
}

function readOr<T>(otherwise: T, read: () => T): T {
  try {
    return read();
  } catch {
    return otherwise;
  }
}
