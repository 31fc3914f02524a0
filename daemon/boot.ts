import type { ExecutionRow } from '../shared/db/executions.ts';
import { targetOf } from '../shared/db/windows.ts';
import { hostOf, type Target } from '../shared/domain/target.ts';
import { expectedRestart } from '../shared/gate/restarts.ts';
import { probe } from './probe.ts';
import type { HostSlot } from './ssh/transport.ts';

/** A machine that a run is meant to take down. */
export interface AwaitedRestart {
  readonly awaits: 'reboot' | 'off';
  readonly machine: Target;
  /** Its host, by which a guest is asked. */
  readonly host: Target;
  /** The command runs beside it: what it says of itself can be believed. */
  readonly fromOutside: boolean;
  /** Nothing stands before it in the line: once started, it is reached. */
  readonly alone: boolean;
}

/** What can be seen of a machine; `boot` is another one after every restart. */
export type Sight =
  | { readonly kind: 'up'; readonly boot: string }
  | { readonly kind: 'off' }
  | { readonly kind: 'away' };

/** The restart that a row's command ends with, and of what; undefined for every other command. */
export function restartOf(row: ExecutionRow): AwaitedRestart | undefined {
  const found = expectedRestart(row.command, row.dialect);
  if (!found) return undefined;
  const { awaits, alone } = found;
  const target = targetOf(row);
  const slug = hostOf(target);
  const host: Target = { kind: 'host', slug, name: slug };
  if (found.place === 'target') {
    return { awaits, machine: target, host, fromOutside: false, alone };
  }
  // Within a guest the tools of a Proxmox host mean nothing.
  if (target.kind !== 'host') return undefined;
  const [kind, id] = found.place.split('/');
  const name = row.guests.find(({ key }) => key === found.place)?.slug ?? `guest ${id}`;
  const guest = { slug: name, name, host: slug, vmid: Number(id) };
  const machine: Target = { kind: kind === 'vm' ? 'vm' : 'lxc', ...guest };
  return { awaits, machine, host, fromOutside: true, alone };
}

/** The kernel's boot, and when the process began whose start is the machine's. */
function bootOf(readStat: string): string {
  const field = `set -- \${s##*)} && shift 19 && echo "$b $1"`;
  return `read -r b </proc/sys/kernel/random/boot_id && ${readStat} && ${field}`;
}

/** A container's boots are told apart by its init: its kernel, and the boot id, are the host's. */
const CONTAINER_BOOT = bootOf('read -r s </proc/1/stat');

/** A VM's boot is the process that runs it: `qm reboot` starts a new one. */
const vmBoot = (vmid: number) =>
  bootOf(`read -r p </run/qemu-server/${vmid}.pid && read -r s <"/proc/$p/stat"`);

/** Asks a machine which boot it is in. Never throws. */
export async function lookAtBoot(
  slot: HostSlot,
  { machine, host }: Pick<AwaitedRestart, 'machine' | 'host'>,
  keepEnvOption: boolean,
): Promise<Sight> {
  switch (machine.kind) {
    case 'host': {
      const answer = await probe(slot, host, 'cat /proc/sys/kernel/random/boot_id');
      return bootIn(answer) ?? { kind: 'away' };
    }
    case 'lxc': {
      const boot = bootIn(await probe(slot, machine, CONTAINER_BOOT, { keepEnvOption }));
      return boot ?? sleeping(slot, host, `pct status ${machine.vmid}`);
    }
    case 'vm': {
      const boot = bootIn(await probe(slot, host, vmBoot(machine.vmid)));
      return boot ?? sleeping(slot, host, `qm status ${machine.vmid}`);
    }
  }
}

function bootIn(answer: Awaited<ReturnType<typeof probe>>): Sight | undefined {
  if (answer.kind !== 'answered' || answer.code !== 0) return undefined;
  const boot = answer.stdout.trim();
  return /^[0-9a-f-]{36}( \d+)?$/.test(boot) ? { kind: 'up', boot } : undefined;
}

/** A guest that does not answer may be off, or just not be there yet: its host knows. */
async function sleeping(slot: HostSlot, host: Target, question: string): Promise<Sight> {
  const answer = await probe(slot, host, question);
  const off = answer.kind === 'answered' && answer.stdout.trim() === 'status: stopped';
  return { kind: off ? 'off' : 'away' };
}

/**
 * Which boot a command is meant to end, for its row, before it starts; null: none, or none that could
 * be told from the next one.
 */
export async function bootBefore(
  slot: HostSlot,
  row: ExecutionRow,
  keepEnvOption: (hostSlug: string) => boolean,
): Promise<string | null> {
  const restart = restartOf(row);
  if (!restart) return null;
  const sight = await lookAtBoot(slot, restart, keepEnvOption(row.hostSlug));
  return sight.kind === 'up' ? sight.boot : null;
}
