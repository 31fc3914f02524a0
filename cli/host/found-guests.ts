import { z } from 'zod';
import type { FleetGuest } from '../../daemon/fleet.ts';
import { parseJson } from '../parse-json.ts';

/** Of `pvesh get /cluster/resources --type vm`; the rest of the fields is not ours (PROXMOX 4). */
const resource = z.looseObject({
  type: z.enum(['lxc', 'qemu']),
  vmid: z.coerce.number().int(),
  node: z.string(),
  name: z.string().optional(),
  status: z.string().default('unknown'),
  template: z.coerce.number().default(0),
});
const resources = z.array(z.unknown());

/** A guest that Proxmox lists, on whatever node. */
export interface FoundGuest {
  readonly kind: 'lxc' | 'vm';
  readonly vmid: number;
  readonly node: string;
  readonly name: string | undefined;
  readonly status: string;
}

/** Undefined when it is no such list. Templates never run and are left out. */
export function readGuests(json: string): readonly FoundGuest[] | undefined {
  const list = resources.safeParse(parseJson(json));
  if (!list.success) return undefined;
  return list.data
    .map((entry) => resource.safeParse(entry))
    .flatMap((entry) => (entry.success ? [entry.data] : []))
    .filter(({ template }) => template === 0)
    .map(({ type, vmid, node, name, status }) => ({
      kind: type === 'lxc' ? ('lxc' as const) : ('vm' as const),
      vmid,
      node,
      name,
      status,
    }))
    .toSorted((a, b) => a.vmid - b.vmid);
}

export interface Naming {
  readonly guests: readonly FleetGuest[];
  /** Guests that cannot be listed, each with the reason. */
  readonly left: readonly string[];
}

const NAME = /^[A-Za-z0-9][A-Za-z0-9.-]{0,62}$/;

/**
 * Names for guests of one host in fleet.yaml: `lxc:<name>`, with `@<host>` where another host has
 * that name already, with the id where this host has it twice (ARCHITECTURE K1).
 */
export function nameGuests(
  found: readonly FoundGuest[],
  host: string,
  taken: ReadonlySet<string>,
): Naming {
  const used = new Set(taken);
  const guests: FleetGuest[] = [];
  const left: string[] = [];
  for (const { kind, vmid, name } of found) {
    const title = `${kind === 'lxc' ? 'CT' : 'VM'} ${vmid}`;
    if (name === undefined || !NAME.test(name)) {
      left.push(`${title} has ${name === undefined ? 'no name' : `the name ${name}`}`);
      continue;
    }
    const slug = freeSlug(`${kind}:${name.toLowerCase()}`, { host, vmid, used });
    used.add(slug);
    guests.push({ slug, host, vmid, kind, name });
  }
  return { guests, left };
}

function freeSlug(
  plain: string,
  { host, vmid, used }: { host: string; vmid: number; used: ReadonlySet<string> },
): string {
  const place = host.replace(/^host:/, '');
  const candidates = [plain, `${plain}@${place}`, `${plain}-${vmid}@${place}`];
  return candidates.find((slug) => !used.has(slug)) ?? `${plain}-${vmid}`;
}
