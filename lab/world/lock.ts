import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** Another demo runs in the folder; the message is for the person who started the second one. */
export class DemoRunsAlready extends Error {
  override readonly name = 'DemoRunsAlready';
  constructor(dir: string, pid: string) {
    super(
      `A demo already runs in ${dir}${pid === '' ? '' : ` (process ${pid})`}. End it with Ctrl-C there, or give this one a folder of its own: --dir FOLDER.`,
    );
  }
}

/**
 * Takes a folder for this process. SQLite's own lock is used because the kernel frees it when its
 * holder is killed; the pid beside it only names the holder.
 * @throws DemoRunsAlready
 */
export function takeFolder(dir: string): { release(): void } {
  mkdirSync(dir, { recursive: true, mode: 0o711 });
  const lock = new DatabaseSync(join(dir, 'lock'));
  const pidFile = join(dir, 'pid');
  try {
    lock.exec('begin exclusive');
  } catch {
    lock.close();
    throw new DemoRunsAlready(dir, readIfThere(pidFile));
  }
  writeFileSync(pidFile, `${process.pid}\n`);
  return { release: () => lock.close() };
}

function readIfThere(path: string): string {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    return '';
  }
}
