import type { FleetEntity } from '../shared/db/entities.ts';
import type { ExecutionRow } from '../shared/db/executions.ts';
import type { GateResult } from '../shared/domain/gate-result.ts';
import { hostSlug } from '../shared/domain/target.ts';
import type { ProbeAnswer } from './probe.ts';

/** A guest that must be what we think it is before anything on it is changed. */
export interface ExpectedGuest {
  readonly kind: 'lxc' | 'vm';
  readonly vmid: number;
  /** Undefined: it must exist, its name is not known to us. */
  readonly name: string | undefined;
}

const CREATES = /\b(?:create|restore|clone|qmrestore)\b/;

/**
 * The guests whose identity a start depends on: the target itself, and those that a command on the
 * host names. What only reads needs none; a guest that the command is about to make has none yet.
 */
export function expectedGuests(
  row: Pick<ExecutionRow, 'targetKind' | 'targetName' | 'vmid' | 'hostSlug'>,
  gate: GateResult,
  fleet: readonly FleetEntity[],
): ExpectedGuest[] {
  if (gate.risk === 'read_only') return [];
  if (row.targetKind !== 'host' && row.vmid !== null) {
    return [{ kind: row.targetKind, vmid: row.vmid, name: row.targetName }];
  }
  if (gate.touches === 'unknown') return [];
  const made = new Set(
    gate.parts.filter(({ rule }) => CREATES.test(rule)).flatMap(({ touches }) => touches ?? []),
  );
  return gate.touches
    .filter((touched) => !made.has(touched))
    .flatMap((touched) => {
      const [, kind, id] = /^(lxc|vm)\/(\d+)$/.exec(touched) ?? [];
      if (kind !== 'lxc' && kind !== 'vm') return [];
      const vmid = Number(id);
      return [{ kind, vmid, name: nameOf(fleet, row.hostSlug, vmid) }];
    });
}

function nameOf(fleet: readonly FleetEntity[], host: string, vmid: number): string | undefined {
  return fleet.find(
    ({ attributes }) =>
      attributes.vmid === vmid &&
      attributes.host !== undefined &&
      hostSlug(attributes.host) === host,
  )?.name;
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
    const said = answer.stderr.trim().split('\n').at(-1) ?? '';
    return `there is no ${what} on ${hostSlugText} now${said === '' ? '' : ` (${said})`}`;
  }
  if (guest.name === undefined) return undefined;
  const key = guest.kind === 'lxc' ? 'hostname' : 'name';
  const found = new RegExp(`^${key}: (.*)$`, 'm').exec(answer.stdout)?.[1]?.trim();
  if (found === guest.name) return undefined;
  return `${what} on ${hostSlugText} is named ${found ?? 'nothing'} now, not ${guest.name}`;
}
