import { randomUUID } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it, vi } from 'vitest';
import {
  dir,
  house,
  killAll,
  lines,
  running,
  SHELLS,
  until,
} from '../../test/support/local-runner.ts';

const shell = SHELLS[0];
if (!shell) throw new Error('no shell');
afterAll(() => rmSync(dir, { recursive: true, force: true }));

/** A node's pvesh: notes what it is asked, ends the process of a task, says how the task ended. */
function node(exitstatus: string) {
  const bin = join(dir, `node-${randomUUID()}`);
  mkdirSync(bin);
  const log = join(bin, 'asked');
  writeFileSync(
    join(bin, 'pvesh'),
    `#!/bin/bash
echo "$1 $2" >>${log}
[ "$1" = get ] && { echo '{"exitstatus":"${exitstatus}","status":"stopped"}'; exit; }
IFS=: read -r _ _ pid _ <<<"\${2##*/}"
kill -TERM "$((16#$pid))"
`,
  );
  chmodSync(join(bin, 'pvesh'), 0o755);
  vi.stubEnv('PATH', `${bin}:${process.env['PATH']}`);
  return { asked: () => (existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n') : []) };
}

/** A tool that starts a task's worker and waits for it. NUMBERS are the pid and the start in its title. */
function tool(marker: string, numbers: string): string {
  const worker = `read -r stat </proc/$$/stat; fields=(\${stat##*) }); start=\${fields[19]}
printf -v title '%s UPID:pve1:%08X:%08X:6B0D1885:vzdump:101:root@pam:' task ${numbers}
exec -a "$title" sleep ${marker}`;
  return `setsid bash -c '${worker.replaceAll("'", `'\\''`)}' & wait $!; exit 255`;
}

const limits = { limitMs: 60_000, killAfterMs: null };

describe('a Proxmox task', () => {
  it('is ended by its UPID when its run is stopped, and the run tells how it ended', async () => {
    const { asked } = node('received interrupt');
    const { session } = house(shell).start({ command: tool('47101', '$$ $start'), ...limits });
    await until(() => isThere());
    session.stop();
    expect(await session.end).toMatchObject({
      kind: 'ended',
      end: { stopped: 'cancel', task: 'received_interrupt' },
    });
    const path = /^\/nodes\/pve1\/tasks\/UPID:pve1:[\dA-F:]+:vzdump:101:root@pam:/;
    expect(asked().map((line) => line.split(' ')[0])).toEqual(['delete', 'get']);
    expect(asked()[0]?.split(' ')[1]).toMatch(path);
  });

  it('of another is not ended by who only bears its title', async () => {
    const { asked } = node('OK');
    const { session } = house(shell).start({ command: tool('47102', '1 1'), ...limits });
    await until(() => isThere('00000001'));
    session.stop();
    const { end } = (await session.end) as { end: object };
    expect(end).toMatchObject({ stopped: 'cancel' });
    expect(end).not.toHaveProperty('task');
    expect(asked()).toEqual([]);
  });

  it('is waited for when its tool is killed, and its end counts', async () => {
    const { asked } = node('OK');
    const marker = '3.47103';
    const { start, spool } = house(shell);
    const { session } = start({
      command: `echo tool47103 >/dev/null; ${tool(marker, '$$ $start')}`,
      ...limits,
    });
    await until(() => lines(join(spool, 'tasks')) === 1);
    killAll('tool47103');
    expect(await session.end).toMatchObject({ kind: 'ended', end: { code: 137, task: 'OK' } });
    expect(isThere()).toBe(false);
    expect(asked()).toHaveLength(1);
  });
});

/** By its title, which the script that gives it has only in pieces. */
const isThere = (pid = '') => running(`task UPID:pve1:${pid}`) > 0;
