import { randomUUID } from 'node:crypto';
import {
  chownSync,
  closeSync,
  fsyncSync,
  openSync,
  realpathSync,
  renameSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';

/**
 * Puts a file in place at once, readable by its owner alone: nobody ever meets half of it. A link
 * is followed, and an owner that was there stays.
 */
export function replaceFile(path: string, text: string): void {
  const target = real(path);
  const draft = join(dirname(target), `.${basename(target)}.${randomUUID()}`);
  const file = openSync(draft, 'wx', 0o600);
  try {
    writeFileSync(file, text);
    fsyncSync(file);
    closeSync(file);
    keepOwner(target, draft);
    renameSync(draft, target);
  } catch (error) {
    unlinkSync(draft);
    throw error;
  }
}

function real(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

function keepOwner(from: string, to: string): void {
  const before = statSync(from, { throwIfNoEntry: false });
  if (before && process.getuid?.() === 0) chownSync(to, before.uid, before.gid);
}
