import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  dir,
  house,
  killAll,
  lines,
  running,
  SHELLS,
  until,
} from '../../test/support/local-runner.ts';

const shell = SHELLS.dash;
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
# Were it signalled by anybody else, it would be gone by now.
sleep 0.5
kill -TERM "$((16#$pid))" && echo 'ended it' >>${log}
`,
  );
  chmodSync(join(bin, 'pvesh'), 0o755);
  vi.stubEnv('PATH', `${bin}:${process.env['PATH']}`);
  return { asked: () => (existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n') : []) };
}

const NODE = hostname().replace(/\..*/, '');

interface Worker {
  readonly node?: string;
  /** Its pid and its start as its title has them. */
  readonly numbers?: string;
  /** What it is started by. */
  readonly by?: string;
}

/** A tool that starts a task's worker and waits for it. */
function tool(
  seconds: string,
  { node = NODE, numbers = '$pid $start', by = 'bash -c' }: Worker = {},
) {
  const name = `pve${randomUUID().slice(0, 8)}`;
  const worker = `read -r stat </proc/self/stat; pid=\${stat%% *}; fields=(\${stat##*) }); start=\${fields[19]}
printf -v title '%s UPID:%s:%08X:%08X:6B0D1885:vzdump:%s:root@pam:' task ${node} ${numbers} ${name}
exec -a "$title" sleep ${seconds}`;
  // The script has the title only in pieces.
  const title = `vzdump:${name}:`;
  onTestFinished(() => killAll(title));
  const script = worker.replaceAll("'", `'\\''`);
  return {
    name,
    command: `echo ${name} >/dev/null; setsid ${by} '${script}' & wait $!; exit 255`,
    isThere: () => running(title) > 0,
  };
}

const NAMESPACE = process.getuid?.() === 0 ? '' : '--user --map-root-user';
const ENTER = `unshare ${NAMESPACE} --pid --fork`;
const canEnter = spawnSync('sh', ['-c', `${ENTER} true`]).status === 0;
/** As in a guest, whose first process hears only what it has asked for. */
const GUEST = `${ENTER} bash -c 'trap exit TERM; bash -c "$1" & wait' guest`;

const limits = { limitMs: 60_000, killAfterMs: null };

describe('a Proxmox task', () => {
  it('is ended by its UPID when its run is stopped, and the run tells how it ended', async () => {
    const { asked } = node('received interrupt');
    const { command, isThere, name } = tool('471');
    const { session } = house(shell).start({ command, ...limits });
    await until(isThere);
    session.stop();
    expect(await session.end).toMatchObject({
      kind: 'ended',
      end: { stopped: 'cancel', task: 'received_interrupt' },
    });
    expect(asked().map((line) => line.split(' ')[0])).toEqual(['delete', 'ended', 'get']);
    const path = `^delete /nodes/${NODE}/tasks/UPID:${NODE}:[0-9A-F:]+:vzdump:${name}:root@pam:$`;
    expect(asked()[0]).toMatch(new RegExp(path));
  });

  it.each<[string, Worker]>([
    ['which names another process', { numbers: '1 1' }],
    ['which names another node', { node: 'elsewhere' }],
    ...(canEnter ? [['which a process of a guest bears', { by: GUEST }] as [string, Worker]] : []),
  ])('is not ended for a title %s', async (_claim, worker) => {
    const { asked } = node('OK');
    const { command, isThere } = tool('471', worker);
    const { start, spool } = house(shell);
    const { session } = start({ command, ...limits });
    await until(isThere);
    session.stop();
    const { end } = (await session.end) as { end: object };
    expect(end).toMatchObject({ stopped: 'cancel' });
    expect(end).not.toHaveProperty('task');
    expect([asked(), lines(join(spool, 'tasks')), isThere()]).toEqual([[], 0, false]);
  });

  it('is waited for when its tool is killed, and its end counts', async () => {
    const { asked } = node('OK');
    const { command, isThere, name } = tool('3');
    const { start, spool } = house(shell);
    const { session } = start({ command, ...limits });
    await until(() => lines(join(spool, 'tasks')) === 1);
    killAll(`echo ${name} >`);
    expect(await session.end).toMatchObject({ kind: 'ended', end: { code: 137, task: 'OK' } });
    expect(isThere()).toBe(false);
    expect(asked()).toHaveLength(1);
  });
});
