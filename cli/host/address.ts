import { isIP } from 'node:net';

/** Where a host is reached, as typed: `root@pve1:2222`. */
export interface HostAddress {
  readonly user: string;
  readonly address: string;
  readonly port: number;
}

export type AddressRead =
  | { readonly ok: true; readonly at: HostAddress }
  | { readonly ok: false; readonly problem: string };

const TYPED =
  /^(?:(?<user>[a-z_][a-z0-9_.-]{0,31})@)?(?:\[(?<v6>[0-9a-f:.]+)\]|(?<name>[a-z0-9][a-z0-9.-]{0,252}))(?::(?<port>\d{1,5}))?$/i;

/** Reads `[user@]name-or-address[:port]`; an IPv6 address stands in brackets. */
export function readAddress(typed: string): AddressRead {
  const groups = TYPED.exec(typed)?.groups;
  const port = Number(groups?.['port'] ?? 22);
  const address = groups?.['v6'] ?? groups?.['name'];
  if (address === undefined || port < 1 || port > 65_535) {
    return {
      ok: false,
      problem: `"${typed}" is no address: write it like root@pve1 or root@192.0.2.10:2222`,
    };
  }
  return { ok: true, at: { user: groups?.['user'] ?? 'root', address, port } };
}

/** `host:pve1` for pve1.lan; undefined for a bare IP address, which is no name to talk about. */
export function slugFor(address: string): string | undefined {
  if (isIP(address) !== 0) return undefined;
  return `host:${address.toLowerCase().split('.')[0]}`;
}
