import type { FleetEntity } from './db/entities.ts';
import type { Dialect } from './domain/dialect.ts';
import type { GateResult } from './domain/gate-result.ts';
import type { Read } from './domain/origin.ts';
import type { Identity } from './domain/rule.ts';
import type { NamedGuest } from './domain/spec.ts';
import { hostOf, hostSlug, type Target } from './domain/target.ts';
import type { GateFacts } from './gate/facts.ts';

/** The shell that runs it is the one that it was judged for. */
export function dialectOf(facts: GateFacts): Dialect {
  return facts.shell;
}

/** The site whose daemon reaches the target. */
export function siteOf(target: Target, fleet: readonly FleetEntity[]): string {
  const host = fleet.find(({ slug }) => slug === hostOf(target));
  return host?.attributes.site ?? 'home';
}

/** The machine behind a target as the fleet knows it now, for rules that were made for one. */
export function identityOf(target: Target, fleet: readonly FleetEntity[]): Identity {
  const entity = fleet.find(({ slug }) => slug === target.slug);
  const host = fleet.find(({ slug }) => slug === hostOf(target));
  return {
    target,
    rootVolume: entity?.attributes.rootVolume ?? null,
    hostKey: host?.attributes.hostKey ?? null,
  };
}

/** Which machines' output the agent had read, for the card; null when none. */
export function provenanceOf(reads: readonly Read[]): string | null {
  const foreign = reads
    .map(({ origin }) => origin)
    .filter((origin) => origin !== 'operator' && origin !== 'oikos');
  const places = [...new Set(foreign)].map((origin) => origin.replace(/^guest:/, ''));
  return places.length === 0 ? null : `proposed after reading output of ${places.join(', ')}`;
}

/** The guest that a command on a host names, where the fleet knows it: `lxc/135` on host:lab. */
export function touchedGuests(
  gate: GateResult,
  target: Target,
  fleet: readonly FleetEntity[],
): NamedGuest[] {
  if (gate.touches === 'unknown') return [];
  return [...new Set(gate.touches)].map((key) => {
    const [type, id] = key.split('/');
    const guest = fleet.find(
      (entity) =>
        entity.type === type &&
        entity.attributes.vmid === Number(id) &&
        hostSlug(entity.attributes.host ?? '') === hostOf(target),
    );
    return { key, slug: guest?.slug ?? null, name: guest?.name ?? null };
  });
}
