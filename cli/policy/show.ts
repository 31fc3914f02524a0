import { canonicalJson } from '../../shared/canonical-json.ts';
import { DEFAULT_POLICY, type GatePolicy } from '../../shared/gate/policy.ts';
import type { GateGround } from '../../shared/gate-facts.ts';
import { SELF_KINDS, showValue } from './changes.ts';

/** The settings for people: what is set, what it is otherwise, and what names nothing. */
export function settingsLines({ settings, entities, fleet, ownFolders }: GateGround): string[] {
  const known = new Set(fleet.map(({ slug }) => slug));
  const doubt = (name: string) =>
    name.includes('/') || known.has(name) ? '' : '  (not in the fleet: a misnomer?)';
  const policy = (Object.keys(DEFAULT_POLICY) as (keyof GatePolicy)[]).map((name) => {
    const isUsual = canonicalJson(settings.policy[name]) === canonicalJson(DEFAULT_POLICY[name]);
    return `  ${name}: ${showValue(settings.policy[name])}${isUsual ? '' : '  (changed)'}`;
  });
  const self = Object.values(SELF_KINDS).map((list) => {
    const names = settings.self[list].map(
      (name) => `${name}${list === 'slugs' ? doubt(name) : ''}`,
    );
    return `  ${list}: ${names.join(', ') || 'none said'}`;
  });
  const floors = [
    ...Object.entries(settings.floors).map(([name, floor]) => `  ${name}: ${floor}${doubt(name)}`),
    ...entities.flatMap(({ slug, attributes: { floor } }) =>
      floor ? [`  ${slug}: ${floor}  (fleet.yaml)`] : [],
    ),
  ];
  return [
    'Judgement calls',
    ...policy,
    "Oikos's own (where nothing is said, its usual names count)",
    ...self,
    ...ownFolders.map((folder) => `  ${folder}  (a process of Oikos lives there)`),
    'Floors (the stricter of two holds)',
    ...(floors.length > 0 ? floors.toSorted() : ['  none']),
  ];
}
