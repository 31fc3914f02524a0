import type { JournalEntry } from '../proxmox/journal.ts';
import type { Guest } from '../proxmox/resources.ts';
import { CONTAINERS, HOST_UNITS, type UnitSeed } from '../proxmox/seed.ts';
import type { KnownUnit, Unit, UnitState } from '../proxmox/units.ts';
import { NIGHTLY_DUMP, STORIES } from '../world/story.ts';

/** A host or a container of the pure-state lab: units and a journal, nothing that runs. */
export interface Place {
  readonly name: string;
  readonly units: Map<string, Unit>;
  readonly states: Map<string, UnitState>;
  readonly journal: JournalEntry[];
  /** Paths that are there although nothing is; a unit may need one. */
  readonly paths: ReadonlySet<string>;
  readonly disks: readonly string[];
}

export interface House {
  readonly host: Place;
  readonly guests: Map<number, { readonly place: Place; readonly seed: Guest; running: boolean }>;
}

const DISK_HEAD = 'Filesystem      Size  Used Avail Use% Mounted on';

/** The lab's state when it is new; the same story as in the lab whose commands run. */
export function newHouse(name: string, hasContainers: boolean, nowMs: number): House {
  const { 'backup-mirror': _mirror, ...others } = HOST_UNITS;
  const units = hasContainers ? HOST_UNITS : { ...others, 'nightly-dump': NIGHTLY_DUMP };
  const root = '/dev/sda1        94G   18G   72G  20% /';
  const disks = hasContainers
    ? [root]
    : [root, '/dev/sdb1        24M   24M     0 100% /srv/backup'];
  const house: House = { host: place(name, name, units, disks, nowMs), guests: new Map() };
  if (!hasContainers) return house;
  for (const seed of CONTAINERS) {
    const size = /size=(\S+)/.exec(seed.config['rootfs'] ?? '')?.[1] ?? '8G';
    const disk = `${`local-zfs/${seed.vmid}`.padEnd(15)} ${size.padStart(4)}  1.2G  ${size.padStart(4)}  15% /`;
    house.guests.set(seed.vmid, {
      place: place(seed.name, `${name}/${seed.vmid}`, seed.units, [disk], nowMs),
      seed: {
        vmid: seed.vmid,
        node: name,
        config: { values: seed.config, description: [], snapshots: {} },
      },
      running: seed.running,
    });
  }
  return house;
}

/** A guest as the Proxmox tools show it. */
export function guestsOf(house: House): Guest[] {
  return [...house.guests.values()].map(({ seed, running }) =>
    running ? { ...seed, running: { pid: 4_000 + seed.vmid, uptimeSeconds: 5_400 } } : seed,
  );
}

export function unitOf(place: Place, name: string): KnownUnit | undefined {
  const unit = place.units.get(name);
  return unit && { unit, state: place.states.get(name) ?? { active: 'inactive' } };
}

/** True when it runs afterwards. */
export function setUnit(place: Place, name: string, active: boolean, nowMs: number): boolean {
  const unit = place.units.get(name);
  if (!unit) return false;
  const complaint =
    active && unit.needs !== undefined && !place.paths.has(unit.needs) ? unit.complaint : undefined;
  const state: UnitState = complaint
    ? { active: 'failed', sinceMs: nowMs, exitStatus: 1 }
    : active
      ? { active: 'active', pid: 300 + place.units.size, sinceMs: nowMs }
      : { active: 'inactive', sinceMs: nowMs };
  place.states.set(name, state);
  const verb = active ? (complaint ? 'Failed to start' : 'Started') : 'Stopped';
  if (complaint) note(place, unit, nowMs, { priority: 3, message: complaint });
  note(place, unit, nowMs, { priority: 6, message: `${verb} ${name} - ${unit.description}.` });
  return state.active === 'active';
}

/** `df -h`, of all file systems. */
export function diskTable({ disks }: Place): string {
  return `${[DISK_HEAD, ...disks].join('\n')}\n`;
}

function place(
  name: string,
  story: string,
  units: Readonly<Record<string, UnitSeed>>,
  disks: readonly string[],
  nowMs: number,
): Place {
  const made: Place = {
    name,
    units: new Map(
      Object.entries(units).map(([short, seed]) => [
        `${short}.service`,
        { reloadable: false, ...seed, name: `${short}.service` },
      ]),
    ),
    states: new Map(),
    journal: (STORIES[story] ?? []).map(({ minutesAgo, ...entry }, index) => ({
      ...entry,
      atMs: nowMs - minutesAgo * 60_000,
      pid: 700 + index,
    })),
    paths: new Set(),
    disks,
  };
  for (const unit of made.units.keys()) setUnit(made, unit, true, nowMs);
  return made;
}

function note(
  place: Place,
  unit: Unit,
  atMs: number,
  what: { readonly priority: number; readonly message: string },
): void {
  place.journal.push({ atMs, unit: unit.name, identifier: 'systemd', pid: 1, ...what });
}
