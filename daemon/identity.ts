import type { ExecutionRow } from '../shared/db/executions.ts';
import type { GateResult } from '../shared/domain/gate-result.ts';
import type { ProbeAnswer } from './probe.ts';

/** A guest that must be what we think it is before anything on it is changed. */
export interface ExpectedGuest {
  readonly kind: 'lxc' | 'vm';
  readonly vmid: number;
  /** Undefined: the fleet did not list it, so there is no name to compare. */
  readonly name: string | undefined;
}

/**
 * The guests whose identity a start depends on: the target itself, and those that a command on the
 * host names, as its card showed them. What only reads needs none.
 */
export function expectedGuests(
  row: Pick<ExecutionRow, 'targetKind' | 'targetName' | 'vmid' | 'guests'>,
  gate: GateResult,
): ExpectedGuest[] {
  if (gate.risk === 'read_only') return [];
  if (row.targetKind !== 'host' && row.vmid !== null) {
    return [{ kind: row.targetKind, vmid: row.vmid, name: row.targetName }];
  }
  return row.guests.flatMap(({ key, name }) => {
    const [, kind, id] = /^(lxc|vm)\/(\d+)$/.exec(key) ?? [];
    if (kind !== 'lxc' && kind !== 'vm') return [];
    return [{ kind, vmid: Number(id), name: name ?? undefined }];
  });
}

/** The command that reads a guest's own file on this node: fresh, unlike the cluster's statistics. */
export function identityCommand({ kind, vmid }: ExpectedGuest): string {
  return kind === 'lxc' ? `pct config ${vmid}` : `qm config ${vmid}`;
}

/** Undefined when the guest is the expected one, else why nothing may start. */
export function identityMismatch(
  guest: ExpectedGuest,
  answer: ProbeAnswer,
  hostSlugText: string,
): string | undefined {
  const what = `${guest.kind === 'lxc' ? 'CT' : 'VM'} ${guest.vmid}`;
  if (answer.kind !== 'answered') return `${what} could not be checked: ${answer.reason}`;
  if (answer.code !== 0) {
    // Nobody knows a guest of that id: it is about to be made, or the command itself will say so.
    if (guest.name === undefined) return undefined;
    const said = answer.stderr.trim().split('\n').at(-1) ?? '';
    return `there is no ${what} on ${hostSlugText} now${said === '' ? '' : ` (${said})`}`;
  }
  if (guest.name === undefined) return undefined;
  const key = guest.kind === 'lxc' ? 'hostname' : 'name';
  const found = new RegExp(`^${key}: (.*)$`, 'm').exec(answer.stdout)?.[1]?.trim();
  if (found === guest.name) return undefined;
  return `${what} on ${hostSlugText} is named ${found ?? 'nothing'} now, not ${guest.name}`;
}

/** `local-lvm:vm-101-disk-0` of a container's file; undefined where it names none. */
export function rootVolumeOf(answer: ProbeAnswer): string | undefined {
  if (answer.kind !== 'answered' || answer.code !== 0) return undefined;
  return /^rootfs: *([^,\s]+)/m.exec(answer.stdout)?.[1];
}
