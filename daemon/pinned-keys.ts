import { readFileSync } from 'node:fs';
import type { Fleet, FleetHost, FleetParsed } from './fleet.ts';
import { knownKey } from './ssh/known-hosts.ts';

/** A fleet whose hosts have the keys that their known_hosts files name; or what is wrong there. */
export function withKnownHosts(
  fleet: Fleet,
  read: (path: string) => string = (path) => readFileSync(path, 'utf8'),
): FleetParsed {
  const problems: string[] = [];
  const pin = (host: FleetHost): FleetHost => {
    if (host.knownHosts === undefined) return host;
    const found = pinOf(host, host.knownHosts, read);
    if ('problem' in found) problems.push(found.problem);
    return 'problem' in found ? host : { ...host, hostKey: found.hostKey };
  };
  const hosts = fleet.hosts.map(pin);
  return problems.length > 0 ? { ok: false, problems } : { ok: true, fleet: { ...fleet, hosts } };
}

/** A host that the file does not know stays without a pin: it is refused when it is needed. */
function pinOf(
  { slug, address, port }: FleetHost,
  path: string,
  read: (path: string) => string,
): { readonly hostKey: string | undefined } | { readonly problem: string } {
  let text: string;
  try {
    text = read(path);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { problem: `known_hosts of ${slug} cannot be read: ${why}` };
  }
  const key = knownKey(text, address, port);
  switch (key.kind) {
    case 'known':
      return { hostKey: key.fingerprint };
    case 'unknown':
      return { hostKey: undefined };
    case 'revoked':
      return { problem: `${path} calls every key of ${slug} revoked` };
  }
}
