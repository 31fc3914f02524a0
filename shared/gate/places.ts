/** A directory a relative path may start from; undefined when nobody knows it. */
export type Directory = string | undefined;

/** Where a command starts before any `cd`: the login directory, or the root of a container. */
export const START_DIRECTORIES: readonly Directory[] = ['/root', '/'];

const RAW_DEVICE =
  /^\/dev\/(sd[a-z]|nvme\d|vd[a-z]|xvd|hd[a-z]|sr\d|mapper\/|dm-|md\d|md\/|mmcblk|zvol\/|zd\d|pve\/|vg|loop\d|nbd\d|rbd|disk\/|bcache|mem$|kmem$|port$)/;
const HARMLESS_DEVICE = /^\/dev\/(null|stdin|stdout|stderr|fd(\/\d+)?)$/;

/** The kernel takes no longer path at once (PATH_MAX): a longer one is judged as the worst it could be. */
export const MAX_PATH = 4096;

// Folders that are links on every machine of the kind: their `..` lies elsewhere.
const LINKS: ReadonlyMap<string, string> = new Map([
  ['var/run', 'run'],
  ['var/lock', 'run/lock'],
  ['bin', 'usr/bin'],
  ['sbin', 'usr/sbin'],
  ['lib', 'usr/lib'],
  ['dev/fd', 'proc/self/fd'],
  ['etc/pve/local', 'etc/pve/nodes/local'],
  ['etc/pve/lxc', 'etc/pve/nodes/local/lxc'],
  ['etc/pve/qemu-server', 'etc/pve/nodes/local/qemu-server'],
  ['etc/pve/openvz', 'etc/pve/nodes/local/openvz'],
]);

/** Takes the last part away as `..` does: from a well-known link it leads above where that points. */
export function stepToParent(parts: string[]): void {
  const target = LINKS.get(parts.join('/'));
  if (target !== undefined) parts.splice(0, parts.length, ...target.split('/'));
  parts.pop();
}

const NOTHING_TO_TAKE_OUT = /^(?:\/(?!\.{0,2}(?:\/|$))[^/]*)+$/;

/** The path without `.`, `..`, doubled slashes. */
export function normalise(path: string): string {
  // Nearly every path, and the gate asks for each word from each directory.
  if (NOTHING_TO_TAKE_OUT.test(path)) return path;
  const kept: string[] = [];
  for (const part of path.split('/')) {
    if (part === '..') stepToParent(kept);
    else if (part !== '' && part !== '.') kept.push(part);
  }
  return `/${kept.join('/')}`;
}

// Stands for a directory nobody knows at the head of a path.
export const ANYWHERE = '/**';

/** The absolute paths a word may name, from an unknown directory with `ANYWHERE` at its head. */
export function candidates(path: string, directories: readonly Directory[]): readonly string[] {
  if (path.startsWith('/')) return [normalise(path)];
  return directories.map((directory) =>
    directory === undefined ? `${ANYWHERE}${normalise(path)}` : normalise(`${directory}/${path}`),
  );
}

/** A disk, partition, volume or the memory itself. */
export function isRawDevice(path: string): boolean {
  return RAW_DEVICE.test(path);
}

/** A device or endless kernel file whose reading is no plain look at text. */
export function isOddDevice(path: string): boolean {
  return (
    (path.startsWith('/dev/') && !HARMLESS_DEVICE.test(path)) ||
    // What programs had in memory lies in a swap file.
    /^\/proc\/kmsg$|\/trace_pipe$|^\/(swapfile|swap\.img)$/.test(path) ||
    // Whatever file another process has open.
    /^\/proc\/(?!self\/|thread-self\/)[^/]+\/(task\/[^/]+\/)?(fd|map_files)\//.test(path)
  );
}

/** Opening it can restart the machine. */
export function isWatchdog(path: string): boolean {
  return /^\/dev\/watchdog/.test(path);
}

/**
 * Whatever is written here acts at once, appended or not: the machine restarts or sleeps, a disk or
 * a card is taken away.
 */
export function isKernelTrigger(path: string): boolean {
  return /^\/proc\/sysrq-trigger$|^\/sys\/(power\/(state|disk)|(block|class|bus|devices)\/.*\/(remove|delete|device\/state|remove_id|hot_remove))$/.test(
    path,
  );
}

/** Folders and files without which the running machine can do nothing any more, not even undo it. */
export function isVitalPlace(path: string): boolean {
  return /^\/$|^\/(usr|bin|sbin|lib(32|64|x32)?|etc|boot|dev|proc|sys|run|var|root|home)$|^\/usr\/(bin|sbin|lib(32|64)?)$|^\/(usr\/)?lib(64)?(\/[\w-]+-linux-\w+)?(\/(ld-|libc)[\w.-]*)?$|^\/(usr\/)?s?bin\/(bash|sh|dash|systemd|init|sudo|mv|cp|mount)$|^\/var\/lib(\/dpkg)?$|^\/etc\/(pam\.d|systemd|ssh|network|pve)$|^\/lib\/systemd(\/system)?$/.test(
    path,
  );
}

/** Emptying or replacing one of these breaks the machine or loses what nobody can restore. */
export function isVitalFile(path: string): boolean {
  return /^\/(etc\/(shadow|passwd|group|gshadow|sudoers(\.d\/.+)?|fstab)$|etc\/pve\/|proc\/sysrq-trigger|boot\/|var\/log\/[^/]+$)/.test(
    path,
  );
}

/** Text that only the system itself writes; elsewhere others may have written what is read. */
export function isSystemText(path: string): boolean {
  return /^\/(etc|proc|sys|usr)(\/|$)/.test(path);
}
