/** Which processes belong to a lab host, told by the namespaces they live in. */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { isErrno } from '../proxmox/process-table.ts';

/** Names of namespaces, `mnt:[4026532177]`. */
export type Namespaces = ReadonlySet<string>;

/** The mount namespace of a process, unless it is the caller's own. */
export function foreignNamespace(pid: number): string | undefined {
  const namespace = mountNamespace(pid);
  return namespace === mountNamespace('self') ? undefined : namespace;
}

/** The descendants of a process, it included, as far as they are still related to it. */
export function familyOf(pid: number): number[] {
  const children = new Map<number, number[]>();
  for (const candidate of allPids()) {
    const parent = parentOf(candidate);
    if (parent !== undefined) children.set(parent, [...(children.get(parent) ?? []), candidate]);
  }
  const family = [pid];
  for (const member of family) family.push(...(children.get(member) ?? []));
  return family;
}

export function membersOf(namespaces: Namespaces): number[] {
  return allPids().filter((pid) => {
    const namespace = mountNamespace(pid);
    return namespace !== undefined && namespaces.has(namespace);
  });
}

/** KILLs what is left in the namespaces, and waits until nothing is. */
export async function clearNamespaces(namespaces: Namespaces, patienceMs: number): Promise<void> {
  const deadline = Date.now() + patienceMs;
  for (let left = membersOf(namespaces); left.length > 0; left = membersOf(namespaces)) {
    if (Date.now() > deadline) throw new Error(`processes of the lab are left: ${left.join(' ')}`);
    left.forEach(kill);
    await sleep(20);
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if (!isErrno(error, 'ESRCH')) throw error;
  }
}

function allPids(): number[] {
  return readdirSync('/proc').map(Number).filter(Number.isInteger);
}

function parentOf(pid: number): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
  } catch (error) {
    if (isErrno(error, 'ENOENT') || isErrno(error, 'ESRCH')) return undefined;
    throw error;
  }
}

/** Undefined for processes that are gone, are zombies, or are none of our business. */
function mountNamespace(pid: number | 'self'): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/ns/mnt`);
  } catch (error) {
    const expected = ['ENOENT', 'ESRCH', 'EACCES', 'EPERM'];
    if (expected.some((code) => isErrno(error, code))) return undefined;
    throw error;
  }
}
