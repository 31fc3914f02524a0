import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';

const SQLITE_BUSY = 5;

/**
 * Runs `work` while no other process holds the lock at `path`; `onWait` is called once when we
 * must wait. SQLite's own lock is used because the kernel frees it when its holder crashes.
 */
export async function withFileLock<T>(
  path: string,
  work: () => Promise<T>,
  onWait: () => void = () => undefined,
): Promise<T> {
  await mkdir(dirname(path), { recursive: true });
  const lock = new DatabaseSync(path);
  try {
    let waited = false;
    while (!tryLock(lock)) {
      if (!waited) onWait();
      waited = true;
      await sleep(200);
    }
    return await work();
  } finally {
    lock.close();
  }
}

function tryLock(lock: DatabaseSync): boolean {
  try {
    lock.exec('begin exclusive');
    return true;
  } catch (error) {
    if (error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY) return false;
    throw error;
  }
}
