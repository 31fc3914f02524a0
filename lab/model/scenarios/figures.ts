/** One file system of `df -h`. */
export interface Disk {
  readonly size: string;
  readonly used: string;
  readonly free: string;
  readonly percent: number;
  readonly mount: string;
}

/** Also the names that the lab gives to its own tmpfs mounts. */
const MEMORY_ONLY = /^(?:tmpfs|devtmpfs|udev|none|shm|efivarfs|run|dev|tmp)$/;

/** The real file systems in the output of `df -h`, the fullest first. */
export function disksIn(output: string): readonly Disk[] {
  return output
    .split('\n')
    .flatMap((line) => {
      const match = /^(\S+)\s+(\S+)\s+(\S+)\s+(\S+)\s+(\d+)%\s+(\/.*)$/.exec(line.trim());
      if (!match) return [];
      const [, device = '', size = '', used = '', free = '', percent = '', mount = ''] = match;
      if (MEMORY_ONLY.test(device)) return [];
      return [{ size, used, free, percent: Number(percent), mount }];
    })
    .toSorted((a, b) => b.percent - a.percent);
}

export interface Guest {
  readonly vmid: number;
  readonly status: string;
  readonly name: string;
}

/** The containers in the output of `pct list`. */
export function guestsIn(output: string): readonly Guest[] {
  return output.split('\n').flatMap((line) => {
    const match = /^\s*(\d+)\s+(running|stopped)\s+(.*)$/.exec(line);
    if (!match) return [];
    const [, vmid = '', status = '', rest = ''] = match;
    return [{ vmid: Number(vmid), status, name: rest.trim().split(/\s+/).at(-1) ?? '' }];
  });
}

/** The last `count` lines that are not empty. */
export function lastLines(output: string, count: number): readonly string[] {
  return output
    .split('\n')
    .map((line) => line.trimEnd())
    .filter((line) => line.trim() !== '')
    .slice(-count);
}

export interface Memory {
  readonly total: string;
  readonly used: string;
  readonly available: string;
}

/** The line `Mem:` of `free -h`. */
export function memoryIn(output: string): Memory | undefined {
  const [, total, used, available] =
    /^Mem:\s+(\S+)\s+(\S+)\s+\S+\s+\S+\s+\S+\s+(\S+)/m.exec(output) ?? [];
  return total === undefined || used === undefined || available === undefined
    ? undefined
    : { total, used, available };
}

/** The names in `systemctl --failed`. */
export function failedUnitsIn(output: string): readonly string[] {
  return [...output.matchAll(/^[●*x×]?\s*(\S+)\.service\s+\S+\s+failed\b/gm)].map(
    ([, name = '']) => name,
  );
}
