import { existsSync } from 'node:fs';
import { aptInstall } from './apt.ts';

const PLACES = [process.env['BUSYBOX'] ?? '', '/bin/busybox', '/usr/bin/busybox'];

/** The shell and programs of small hosts, if they are here. */
export function findBusybox(): string | undefined {
  return PLACES.find((path) => path !== '' && existsSync(path));
}

/** The same; as root on Debian and its kin it is installed where missing. */
export function ensureBusybox(): string | undefined {
  if (findBusybox() === undefined) aptInstall('busybox-static');
  return findBusybox();
}
