import { type GateResult, MAX_GATE_PARTS, type PartAccess } from './gate-result.ts';
import type { Target } from './target.ts';

/** A command of the task that ran to its good end, in the order they ended. */
export interface CompletedCommand {
  readonly host: string;
  readonly targetKind: Target['kind'];
  /** Undefined: more than one simple command with known words. */
  readonly argv: readonly string[] | undefined;
}

/**
 * The containers that a task's own commands made and did not destroy since, as
 * `lxc/140@host:lab`. Only the plain forms count: what is not certain was not created here.
 */
export function createdGuests(completed: readonly CompletedCommand[]): readonly string[] {
  const made = new Set<string>();
  for (const { host, targetKind, argv } of completed) {
    const [program, verb, first = '', second = ''] = argv ?? [];
    if (targetKind !== 'host' || program !== 'pct') continue;
    const id = verb === 'clone' ? second : first;
    if (!/^\d+$/.test(id)) continue;
    const guest = `lxc/${id}@${host}`;
    if (verb === 'create' || verb === 'clone') made.add(guest);
    if (verb === 'destroy') made.delete(guest);
  }
  return [...made];
}

/**
 * The result as windows see it: without the flag `access` where all of the access is units, package
 * sources and their keys inside a container that this task created. Every other flag stays.
 */
export function withoutExemptAccess(
  gate: GateResult,
  target: Target,
  created: readonly string[],
): GateResult {
  if (!gate.flags.includes('access') || created.length === 0) return gate;
  if (gate.parts.length >= MAX_GATE_PARTS) return gate;
  const accesses = gate.parts.flatMap(({ access }) => (access ? [access] : []));
  const exempt =
    accesses.length > 0 && accesses.every((access) => isExempt(access, target, created));
  return exempt ? { ...gate, flags: gate.flags.filter((flag) => flag !== 'access') } : gate;
}

function isExempt({ kind, at }: PartAccess, target: Target, created: readonly string[]): boolean {
  if (kind === 'other') return false;
  const guest = placeOf(at, target);
  return guest !== undefined && created.includes(guest);
}

function placeOf(at: PartAccess['at'], target: Target): string | undefined {
  if (at === 'elsewhere') return undefined;
  if (at === 'target') {
    return target.kind === 'lxc' ? `lxc/${target.vmid}@${target.host}` : undefined;
  }
  return target.kind === 'host' ? `${at}@${target.slug}` : undefined;
}
