/** What the Proxmox tools report of a guest, built from its configuration and its running state. Pure. */
import { type GuestConfig, volumeBytes } from './guest-config.ts';

export interface Guest {
  readonly vmid: number;
  readonly node: string;
  readonly config: GuestConfig;
  /** Undefined when it is not running. */
  readonly running?: { readonly pid: number; readonly uptimeSeconds: number };
}

type Scalar = string | number | null;
export type Fields = Readonly<Record<string, Scalar | Readonly<Record<string, Scalar>>>>;

const MIB = 1024 ** 2;
const DEFAULT_DISK_BYTES = 4 * 1024 ** 3;

export function guestStatus(guest: Guest): 'running' | 'stopped' {
  return guest.running ? 'running' : 'stopped';
}

export function guestName(guest: Guest): string {
  return guest.config.values['hostname'] ?? `CT${guest.vmid}`;
}

/** The fields of `pct status ID --verbose`; `pid` only while it runs. */
export function currentStatus(guest: Guest): Record<string, string | number> {
  const values = guest.config.values;
  const usage = measuredUsage(guest);
  return {
    cpus: Number(values['cores'] ?? 1),
    disk: usage.disk,
    diskread: usage.diskread,
    diskwrite: usage.diskwrite,
    maxdisk: volumeBytes(values['rootfs']) ?? DEFAULT_DISK_BYTES,
    maxmem: Number(values['memory'] ?? 512) * MIB,
    maxswap: Number(values['swap'] ?? 512) * MIB,
    mem: usage.mem,
    name: guestName(guest),
    netin: usage.netin,
    netout: usage.netout,
    ...(guest.running ? { pid: guest.running.pid } : {}),
    status: guestStatus(guest),
    swap: 0,
    ...tagged(values),
    ...(values['template'] === '1' ? { template: 1 } : {}),
    type: 'lxc',
    uptime: guest.running?.uptimeSeconds ?? 0,
    vmid: guest.vmid,
  };
}

/** `pvesh get /nodes/N/lxc/ID/status/current`: the same with cpu, lock and ha. */
export function currentStatusObject(guest: Guest): Fields {
  return {
    ...currentStatus(guest),
    cpu: measuredUsage(guest).cpu,
    ha: { managed: 0 },
    ...locked(guest.config.values),
  };
}

/** One container in `pvesh get /cluster/resources`. */
export function guestResource(guest: Guest): Fields {
  const { cpus, maxswap: _maxswap, swap: _swap, pid: _pid, ...fields } = currentStatus(guest);
  return {
    ...fields,
    ...locked(guest.config.values),
    cpu: measuredUsage(guest).cpu,
    id: `lxc/${guest.vmid}`,
    maxcpu: cpus ?? 1,
    memhost: fields['mem'] ?? 0,
    node: guest.node,
    template: fields['template'] ?? 0,
  };
}

export interface NodeFacts {
  readonly node: string;
  readonly uptimeSeconds: number;
  readonly cpus: number;
  readonly totalMemoryBytes: number;
  readonly usedMemoryBytes: number;
}

/** The node itself in `/cluster/resources`. */
export function nodeResource(facts: NodeFacts): Fields {
  return {
    'cgroup-mode': 2,
    cpu: 0.0125,
    disk: 9 * 1024 ** 3,
    id: `node/${facts.node}`,
    level: '',
    maxcpu: facts.cpus,
    maxdisk: 94 * 1024 ** 3,
    maxmem: facts.totalMemoryBytes,
    mem: facts.usedMemoryBytes,
    node: facts.node,
    status: 'online',
    type: 'node',
    uptime: facts.uptimeSeconds,
  };
}

/** JSON as pvesh prints it: keys sorted at every level, one line. */
export function sortedJson(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    inner !== null && typeof inner === 'object' && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}

/** Plausible numbers that never move: the lab measures nothing, and equal runs print equal text. */
function measuredUsage(guest: Guest) {
  if (!guest.running) {
    return { cpu: 0, disk: 0, diskread: 0, diskwrite: 0, mem: 0, netin: 0, netout: 0 };
  }
  return {
    cpu: 0.0125,
    disk: 1_288_490_188,
    diskread: MIB,
    diskwrite: MIB / 2,
    mem: 40 * MIB,
    netin: 5120,
    netout: 2048,
  };
}

function tagged(values: Readonly<Record<string, string>>): { tags?: string } {
  return values['tags'] === undefined ? {} : { tags: values['tags'] };
}

function locked(values: Readonly<Record<string, string>>): { lock?: string } {
  return values['lock'] === undefined ? {} : { lock: values['lock'] };
}
