/** One change at a time per guest, as /run/lock/lxc/pve-config-ID.lock gives it on a real node. */
import { linkSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Answer, refused } from './answer.ts';
import { isAlive, isErrno, markOf, readIfThere } from './process-table.ts';
import { currentFaults } from './store.ts';

const TASK_SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT'] as const;

/**
 * Runs the change under the guest's lock, or answers that it could not be got in time. A change is
 * not stopped by TERM half way: the real tools ignore it during a task.
 */
export async function withGuestLock(vmid: number, change: () => Promise<Answer>): Promise<Answer> {
  const path = `/run/lock/lxc/pve-config-${vmid}.lock`;
  const faults = currentFaults();
  const deadline = Date.now() + faults.lockPatienceMs;
  let out = '';
  while (faults.lockHeld.has(vmid) || !takeLock(path)) {
    out = 'trying to acquire lock...\n';
    if (Date.now() > deadline)
      return { ...refused(`can't lock file '${path}' - got timeout`), out };
    await sleep(20);
  }
  for (const signal of TASK_SIGNALS) process.on(signal, () => undefined);
  try {
    const answer = await change();
    return out === '' ? answer : { ...answer, out: `${out} OK\n${answer.out ?? ''}` };
  } finally {
    rmSync(path, { force: true });
  }
}

/** A lock whose holder is gone counts as free. The link makes name and content appear at once. */
function takeLock(path: string): boolean {
  const own = `${path}.${process.pid}`;
  mkdirSync('/run/lock/lxc', { recursive: true });
  writeFileSync(own, `${process.pid} ${markOf(process.pid)?.startTicks ?? 0}`);
  try {
    linkSync(own, path);
    return true;
  } catch (error) {
    if (!isErrno(error, 'EEXIST')) throw error;
    dropStale(path);
    return false;
  } finally {
    rmSync(own, { force: true });
  }
}

function dropStale(path: string): void {
  const text = readIfThere(path);
  const [pid = 0, startTicks = 0] = (text ?? '').split(' ').map(Number);
  if (text !== undefined && !isAlive({ pid, startTicks })) rmSync(path, { force: true });
}
