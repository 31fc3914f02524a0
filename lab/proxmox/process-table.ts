/** Processes as /proc shows them. A pid alone is no identity: it comes with its start time. */
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

export interface ProcessMark {
  readonly pid: number;
  /** Field 22 of /proc/PID/stat. */
  readonly startTicks: number;
}

/** The mark of a live process; undefined when there is none or only its zombie is left. */
export function markOf(pid: number): ProcessMark | undefined {
  const fields = statFields(pid);
  if (!fields || fields[0] === 'Z' || fields[0] === 'X') return undefined;
  return { pid, startTicks: Number(fields[19]) };
}

export function isAlive(mark: ProcessMark): boolean {
  return markOf(mark.pid)?.startTicks === mark.startTicks;
}

/** Signals the process if it is still the same one; a process that is gone is fine. */
export function signalProcess(mark: ProcessMark, signal: NodeJS.Signals): void {
  if (!isAlive(mark)) return;
  try {
    process.kill(mark.pid, signal);
  } catch (error) {
    if (!isErrno(error, 'ESRCH')) throw error;
  }
}

/** Waits for the end of a process; false when it still lives after `patienceMs`. */
export async function waitForEnd(mark: ProcessMark, patienceMs: number): Promise<boolean> {
  const deadline = Date.now() + patienceMs;
  while (isAlive(mark)) {
    if (Date.now() > deadline) return false;
    await sleep(15);
  }
  return true;
}

export function isErrno(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}

/** The text of a file; undefined when it does not exist. */
export function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (isErrno(error, 'ENOENT') || isErrno(error, 'ESRCH')) return undefined;
    throw error;
  }
}

/** The fields behind the command's name, which may itself hold blanks and parentheses. */
function statFields(pid: number): string[] | undefined {
  const stat = readIfThere(`/proc/${pid}/stat`);
  return stat?.slice(stat.lastIndexOf(')') + 2).split(' ');
}
