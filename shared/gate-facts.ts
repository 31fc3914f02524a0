import type { FleetEntity } from './db/entities.ts';
import type { GateSettings } from './db/gate-settings.ts';
import { type RiskClass, stricter } from './domain/risk.ts';
import { hostOf, hostSlug, type Target } from './domain/target.ts';
import type { GateFacts, SelfFacts } from './gate/facts.ts';
import { USUAL_PATHS } from './gate/self.ts';

/** What is known of the house when a command is judged: read at once, passed on to pure code. */
export interface GateGround {
  /** Hosts and guests, with those that are gone: what protected them still does. */
  readonly entities: readonly FleetEntity[];
  /** Those that commands can be aimed at. */
  readonly fleet: readonly FleetEntity[];
  readonly settings: GateSettings;
  /** Where Oikos's own processes live. */
  readonly ownFolders: readonly string[];
}

type Guest = Extract<Target, { vmid: number }>;

/** What the gate is told of a target; a shell that nobody has asked for counts as plain sh. */
export function factsOf(target: Target, ground: GateGround): GateFacts {
  const entity = ground.fleet.find(({ slug }) => slug === target.slug);
  const { shell, guestWritable } = entity?.attributes ?? {};
  const floor = floorOf(target, ground);
  const floors = target.kind === 'host' ? guestFloors(target, ground) : {};
  return {
    shell: shell ?? 'posix',
    targetKind: target.kind,
    self: selfFacts(target, ground),
    isSelf: isOwn(target, ground),
    ...(floor && { floor }),
    ...(Object.keys(floors).length > 0 && { floors }),
    ...(guestWritable && { guestWritable }),
  };
}

/** The strictest floor that the operator or fleet.yaml gave the place itself; a host's is not its guests'. */
export function floorOf(
  target: Target,
  { entities, settings }: Pick<GateGround, 'entities' | 'settings'>,
): RiskClass | undefined {
  const entity = entities.find(({ slug }) => slug === target.slug);
  return strictest([
    entity?.attributes.floor,
    ...namesOf(target).map((name) => settings.floors[name]),
  ]);
}

/** Floors of the guests that a command on a host can name; Oikos's own carry the strictest. */
function guestFloors(host: Target, ground: GateGround): Record<string, RiskClass> {
  const { floors, self } = ground.settings;
  const found: readonly (readonly [string, RiskClass | undefined])[] = [
    ...guestsNamedOn(host.slug, ground).map(
      (guest) =>
        [guestKey(guest), isOwn(guest, ground) ? 'destructive' : floorOf(guest, ground)] as const,
    ),
    ...Object.entries(floors).filter(([name]) => isKey(name)),
    ...self.slugs.filter(isKey).map((key) => [key, 'destructive'] as const),
  ];
  const byKey: Record<string, RiskClass> = {};
  for (const [key, floor] of found) {
    const both = strictest([byKey[key], floor]);
    if (both) byKey[key] = both;
  }
  return byKey;
}

/** Where Oikos lives, in the names that a command on this target uses. */
function selfFacts(target: Target, ground: GateGround): SelfFacts {
  const { slugs, paths, units, addresses } = ground.settings.self;
  const own = guestsNamedOn(hostOf(target), ground).filter((guest) => isOwn(guest, ground));
  return {
    slugs: [...new Set([...own.map(guestKey), ...slugs.filter(isKey)])],
    paths: [...(paths.length > 0 ? paths : USUAL_PATHS), ...ground.ownFolders],
    units,
    addresses,
  };
}

/**
 * Guests that `lxc/135` can mean on a host. Those of other hosts too: in a cluster one node commands
 * another's guests. But an id that the host has itself means its own guest.
 */
function guestsNamedOn(host: string, { entities }: GateGround): readonly Guest[] {
  const guests = entities.flatMap(toGuest);
  const own = guests.filter((guest) => guest.host === host);
  const taken = new Set(own.map(guestKey));
  return [...own, ...guests.filter((guest) => !taken.has(guestKey(guest)))];
}

function toGuest({ type, slug, name, attributes: { host, vmid } }: FleetEntity): Guest[] {
  if ((type !== 'lxc' && type !== 'vm') || host === undefined || vmid === undefined) return [];
  return [{ kind: type, slug, name, host: hostSlug(host), vmid }];
}

function isOwn(target: Target, { settings }: GateGround): boolean {
  return namesOf(target).some((name) => settings.self.slugs.includes(name));
}

/** What the settings may call a place. */
function namesOf(target: Target): readonly string[] {
  return target.kind === 'host' ? [target.slug] : [target.slug, guestKey(target)];
}

/** As `touches` of a verdict names a guest. */
function guestKey({ kind, vmid }: Guest): string {
  return `${kind}/${vmid}`;
}

function isKey(name: string): boolean {
  return name.includes('/');
}

function strictest(classes: readonly (RiskClass | undefined)[]): RiskClass | undefined {
  return classes.reduce((a, b) => (a && b ? stricter(a, b) : (a ?? b)), undefined);
}
