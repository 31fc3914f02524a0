import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** Marks every process that a demo starts with its folder, so that a later start finds them. */
export const DEMO_MARK = 'OIKOS_DEMO';

const PATIENCE_MS = 8_000;

/**
 * Ends what an earlier demo of this folder left behind when it was killed: processes that carry the
 * mark, and nothing else. Where there is no /proc nothing is found.
 */
export async function endLeftovers(dir: string): Promise<number> {
  const first = leftovers(dir);
  const deadline = performance.now() + PATIENCE_MS;
  for (let left = first; left.length > 0; left = leftovers(dir)) {
    const late = performance.now() > deadline - PATIENCE_MS / 2;
    for (const pid of left) signal(pid, late ? 'SIGKILL' : 'SIGTERM');
    if (performance.now() > deadline) break;
    await sleep(100);
  }
  return first.length;
}

/** The pids of processes that were started by a demo in this folder. */
export function leftovers(dir: string): number[] {
  return pids().filter((pid) => pid !== process.pid && belongsTo(environmentOf(pid), dir));
}

/** The mark is one whole variable; the lab's own processes name a folder below. */
export function belongsTo(environment: string, dir: string): boolean {
  return environment
    .split('\0')
    .some(
      (variable) => variable === `${DEMO_MARK}=${dir}` || variable.startsWith(`OIKOS_LAB=${dir}/`),
    );
}

function pids(): number[] {
  try {
    return readdirSync('/proc').map(Number).filter(Number.isInteger);
  } catch {
    return [];
  }
}

/** Empty for processes that are gone or belong to somebody else. */
function environmentOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8');
  } catch {
    return '';
  }
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It ended by itself, which is what was wanted.
  }
}
