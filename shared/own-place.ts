import { hostname, networkInterfaces } from 'node:os';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The machine that a process runs on, in the names that others know it by. */
export interface OwnMachine {
  readonly hostname: string;
  /** Without loopback and link-local ones. */
  readonly addresses: readonly string[];
}

const INSTALLED_AT = dirname(dirname(fileURLToPath(import.meta.url)));

/** This process's machine, as the system tells it. */
export function findOwnMachine(): OwnMachine {
  const all = Object.values(networkInterfaces()).flatMap((found) => found ?? []);
  return {
    hostname: hostname().toLowerCase(),
    addresses: all
      .filter(({ internal, address }) => !(internal || /^(?:169\.254|fe80)/i.test(address)))
      .map(({ address }) => address.toLowerCase()),
  };
}

/** Folders and files of this process that are Oikos's own. */
export function findOwnFolders(): string[] {
  return ownFolders(INSTALLED_AT, process.cwd());
}

/**
 * The installation and the working directory. A folder that holds more than Oikos on every machine
 * (`/`, `/app`, a home) would make everything below it Oikos's own: only its settings count there.
 */
export function ownFolders(installed: string, working: string): string[] {
  const paths = [installed, working].flatMap((folder) =>
    isShared(folder) ? [resolve(folder, '.env'), resolve(folder, 'fleet.yaml')] : [folder],
  );
  return [...new Set(paths)];
}

function isShared(folder: string): boolean {
  return /^\/[^/]*$|^\/home\/[^/]+$/.test(folder);
}
