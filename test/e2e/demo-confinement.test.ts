import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { type LabHost, startLabHost } from '../../lab/host/lab-host.ts';

const SECRET = `only-outside-${process.pid}`;

/** Whoever can run anything in the lab as its root tries to get out of it. */
describe.each([
  ['the host', (command: string) => command],
  ['a container', (command: string) => `pct exec 101 -- /bin/bash -c ${quoted(command)}`],
])('from %s of the lab', (_place, inside) => {
  let lab: LabHost;
  let dir: string;
  let outside: ChildProcess;
  beforeAll(async () => {
    outside = spawn('sleep', ['300'], { env: { ...process.env, SECRET }, stdio: 'ignore' });
    await once(outside, 'spawn');
    dir = await mkdtemp(join(tmpdir(), 'oikos-escape-'));
    await writeFile(join(dir, 'outside.txt'), SECRET);
    lab = await startLabHost({ dir: join(dir, 'lab'), name: 'lab' });
  });
  afterAll(async () => {
    outside?.kill();
    await lab?.stop();
    await rm(dir, { recursive: true, force: true });
  });
  const run = (command: string) => lab.run(inside(command));
  const all = async (command: string) => {
    const { stdout, stderr } = await run(command);
    return stdout + stderr;
  };

  it('commands do run, so that a refusal below means something', async () => {
    expect(await run('id -u; echo ran')).toMatchObject({ code: 0, stdout: '0\nran\n' });
  });

  it('no file of the person or of the machine is seen', async () => {
    const shadow = await readFile('/etc/shadow', 'utf8').catch(() => SECRET);
    expect(await all('cat /etc/shadow')).toBe('root:*:20000:0:99999:7:::\n');
    expect(await all('cat /etc/shadow')).not.toBe(shadow);
    for (const path of [homedir(), import.meta.dirname, dir]) {
      const there = await run(`ls -A ${quoted(path)}`);
      expect(there.stdout.trim(), path).toBe('');
    }
    expect(await all(`cat ${join(dir, 'outside.txt')}`)).not.toContain(SECRET);
    expect(
      await all('find /etc /home /root /mnt /media /srv /tmp /var -name outside.txt 2>/dev/null'),
    ).toBe('');
  });

  it.each([
    'touch /usr/lab-was-here',
    'mount -o remount,rw /usr && touch /usr/lab-was-here',
    'mount -o remount,bind,rw /usr && touch /usr/lab-was-here',
    'umount /usr && touch /usr/lab-was-here',
    'unshare --user --map-root-user --mount /bin/sh -c "mount -o remount,bind,rw /usr && touch /usr/lab-was-here"',
    'echo "|/tmp/x" >/proc/sys/kernel/core_pattern',
    'mknod /tmp/disk b 254 0 && head -c 512 /tmp/disk',
    'mount -t ext4 /dev/vda /mnt',
    'test -e /dev/mem || test -e /dev/kmsg || test -e /dev/sda',
    'chroot /proc/1/root /bin/sh -c "ls /run/old/etc"',
    'cat /proc/1/root/run/old/etc/shadow',
    'nsenter --target 1 --mount --pid /bin/sh -c "test -e /proc/1/root/run/old/etc"',
  ])('%s does not work', async (command) => {
    expect((await run(command)).code).not.toBe(0);
    await expect(stat('/usr/lab-was-here')).rejects.toThrow('ENOENT');
  });

  it('processes outside are neither seen, nor read, nor ended', async () => {
    const pid = outside.pid ?? 0;
    expect(await all('cat /proc/[0-9]*/environ 2>/dev/null | tr "\\0" "\\n"')).not.toContain(
      SECRET,
    );
    expect(
      (await run(`kill -9 ${pid}; kill -9 ${process.pid}; pkill -9 -x sleep; true`)).code,
    ).toBe(0);
    expect(outside.exitCode ?? outside.signalCode).toBeNull();
    expect((await run('ls /proc | grep -c "^[0-9]"')).stdout.length).toBeLessThan(4);
  });

  it('the database of the demo cannot be reached, nor anything else of 127.0.0.1', async () => {
    const url = new URL(inject('adminUrl'));
    const there = new Client(inject('adminUrl'));
    await there.connect();
    expect((await there.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
    await there.end();
    const tried = await run(`timeout 3 bash -c '</dev/tcp/127.0.0.1/${url.port}'`);
    expect(tried.code).not.toBe(0);
    expect(tried.stderr).toContain('refused');
    expect(await all('tail -n +3 /proc/net/dev')).toMatch(/^\s*lo:[^\n]*\n$/);
  });
});

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
