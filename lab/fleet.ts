import { stringify } from 'yaml';
import { CONTAINERS } from './proxmox/seed.ts';

export interface FleetHost {
  readonly name: string;
  readonly address: string;
  readonly port: number;
  readonly user: string;
  readonly privateKeyPath: string;
  readonly hostKeyFingerprint: string;
}

/** fleet.yaml for lab hosts; the containers belong to the first of them. */
export function fleetYaml(hosts: readonly FleetHost[]): string {
  const [first] = hosts;
  const guests = first
    ? CONTAINERS.map(({ name, vmid }) => ({ slug: `lxc:${name}`, host: first.name, vmid }))
    : [];
  return stringify({
    hosts: hosts.map((host) => ({
      slug: `host:${host.name}`,
      address: host.address,
      port: host.port,
      user: host.user,
      key_file: host.privateKeyPath,
      host_key: host.hostKeyFingerprint,
    })),
    guests,
  });
}
