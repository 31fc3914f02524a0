/** The state of the stand-in on disk: guest configurations under /etc/pve, run marks under /run/lab. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { type Faults, readFaults } from './faults.ts';
import { formatGuestConfig, type GuestConfig, parseGuestConfig } from './guest-config.ts';
import { isAlive, type ProcessMark, readIfThere } from './process-table.ts';
import type { Guest } from './resources.ts';

const RUN_DIR = '/run/lab/ct';
const FAULT_DIR = '/run/lab/faults';

/** A running container: its first process as the host sees it, and since when. */
export interface RunMark extends ProcessMark {
  readonly startedAtMs: number;
}

export function nodeName(): string {
  return hostname();
}

/** The path that Proxmox names in its messages, relative to /etc/pve. */
export function configPath(vmid: number, kind: 'lxc' | 'qemu-server' = 'lxc'): string {
  return `nodes/${nodeName()}/${kind}/${vmid}.conf`;
}

export function containerRoot(vmid: number): string {
  return `/var/lib/lxc/${vmid}`;
}

export function listGuests(nowMs: number): Guest[] {
  return readdirSync(`/etc/pve/nodes/${nodeName()}/lxc`)
    .flatMap((name) => /^(\d+)\.conf$/.exec(name)?.[1] ?? [])
    .flatMap((id) => findGuest(Number(id), nowMs) ?? []);
}

export function findGuest(vmid: number, nowMs: number): Guest | undefined {
  const text = readIfThere(`/etc/pve/${configPath(vmid)}`);
  if (text === undefined) return undefined;
  const mark = runningMark(vmid);
  return {
    vmid,
    node: nodeName(),
    config: parseGuestConfig(text),
    ...(mark && {
      running: {
        pid: mark.pid,
        uptimeSeconds: Math.max(0, Math.floor((nowMs - mark.startedAtMs) / 1000)),
      },
    }),
  };
}

export function writeConfig(vmid: number, config: GuestConfig): void {
  writeFileSync(`/etc/pve/${configPath(vmid)}`, formatGuestConfig(config));
}

/** Configuration, root file system and run mark go together. */
export function removeGuest(vmid: number): void {
  rmSync(containerRoot(vmid), { recursive: true, force: true });
  rmSync(`/etc/pve/${configPath(vmid)}`, { force: true });
  forgetRun(vmid);
}

/** Undefined when the container does not run, also when its process died by itself. */
export function runningMark(vmid: number): RunMark | undefined {
  const text = readIfThere(`${RUN_DIR}/${vmid}`);
  if (text === undefined) return undefined;
  const [pid = 0, startTicks = 0, startedAtMs = 0] = text.split(' ').map(Number);
  const mark = { pid, startTicks, startedAtMs };
  return isAlive(mark) ? mark : undefined;
}

export function rememberRun(vmid: number, mark: RunMark): void {
  mkdirSync(RUN_DIR, { recursive: true });
  writeFileSync(`${RUN_DIR}/${vmid}`, `${mark.pid} ${mark.startTicks} ${mark.startedAtMs}`);
}

export function forgetRun(vmid: number): void {
  rmSync(`${RUN_DIR}/${vmid}`, { force: true });
}

/** Guests that other nodes of the cluster have, and virtual machines: all that is known is their file. */
export function listElsewhere(): readonly {
  node: string;
  vmid: number;
  kind: 'lxc' | 'qemu';
  name: string;
}[] {
  return readdirSync('/etc/pve/nodes').flatMap((node) =>
    (['lxc', 'qemu-server'] as const)
      .filter((kind) => node !== nodeName() || kind !== 'lxc')
      .flatMap((folder) => filesIn(node, folder)),
  );
}

function filesIn(node: string, folder: 'lxc' | 'qemu-server') {
  const path = `/etc/pve/nodes/${node}/${folder}`;
  if (!existsSync(path)) return [];
  return readdirSync(path).map((file) => {
    const { values } = parseGuestConfig(readFileSync(`${path}/${file}`, 'utf8'));
    const kind = folder === 'lxc' ? ('lxc' as const) : ('qemu' as const);
    const name = values['hostname'] ?? values['name'] ?? '';
    return { node, vmid: Number.parseInt(file, 10), kind, name };
  });
}

/** Fault words from the environment and from files, whose content is the value. */
export function currentFaults(): Faults {
  const words = (process.env['LAB_FAULTS'] ?? '').split(/\s+/);
  if (existsSync(FAULT_DIR)) {
    for (const name of readdirSync(FAULT_DIR)) {
      words.push(`${name}=${readFileSync(`${FAULT_DIR}/${name}`, 'utf8').trim()}`);
    }
  }
  return readFaults(words);
}
