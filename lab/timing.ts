import { readFileSync } from 'node:fs';

/** Linux counts process times in hundredths of a second, whatever the kernel's own clock is. */
const TICKS_PER_SECOND = 100;

/**
 * Seconds since the person's command began: the parent's start, which is what installs packages
 * before we run; our own start where /proc does not tell.
 */
export function secondsSinceCommand(): number {
  return parentAge() ?? performance.now() / 1000;
}

function parentAge(): number | undefined {
  try {
    const stat = readFileSync(`/proc/${process.ppid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const uptime = Number(readFileSync('/proc/uptime', 'utf8').split(' ')[0]);
    const age = uptime - Number(fields[19]) / TICKS_PER_SECOND;
    return Number.isFinite(age) && age >= 0 ? age : undefined;
  } catch {
    return undefined;
  }
}
