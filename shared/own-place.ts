import { hostname, networkInterfaces } from 'node:os';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Where a process of Oikos lives. */
export interface OwnPlace {
  /** Folders and files that are Oikos's own. */
  readonly folders: readonly string[];
  readonly hostname: string;
  /** Of its machine, without loopback and link-local ones. */
  readonly addresses: readonly string[];
}

const INSTALLED_AT = dirname(dirname(fileURLToPath(import.meta.url)));

/** This process's own place, as the system tells it. */
export function findOwnPlace(): OwnPlace {
  const all = Object.values(networkInterfaces()).flatMap((found) => found ?? []);
  return {
    folders: ownFolders(INSTALLED_AT, process.cwd()),
    hostname: hostname().toLowerCase(),
    addresses: all
      .filter(({ internal, address }) => !(internal || /^(?:169\.254|fe80)/i.test(address)))
      .map(({ address }) => address),
  };
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
