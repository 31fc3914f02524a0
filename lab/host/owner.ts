/** As whom the lab host runs. */
import { lchownSync, readdirSync } from 'node:fs';

/**
 * Under root the lab gives root up for a user that owns nothing on the machine, so that uid 0 inside
 * is nobody outside; an ordinary user keeps his own id.
 */
export interface LabOwner {
  readonly uid: number;
  readonly gid: number;
  readonly isRoot: boolean;
}

/** From the range that Debian leaves unassigned. */
const NOBODYS_ID = 64_871;

export function labOwner(uid: number, gid: number): LabOwner {
  return uid === 0
    ? { uid: NOBODYS_ID, gid: NOBODYS_ID, isRoot: true }
    : { uid, gid, isRoot: false };
}

/** Words before a command that make it run as the owner, without any privilege. */
export function asOwner(owner: LabOwner): string[] {
  return owner.isRoot
    ? ['setpriv', `--reuid=${owner.uid}`, `--regid=${owner.gid}`, '--clear-groups', '--']
    : [];
}

export function giveToOwner(path: string, owner: LabOwner): void {
  if (!owner.isRoot) return;
  lchownSync(path, owner.uid, owner.gid);
  for (const entry of readdirSync(path, { withFileTypes: true, recursive: true })) {
    lchownSync(`${entry.parentPath}/${entry.name}`, owner.uid, owner.gid);
  }
}
