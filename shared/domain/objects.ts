import type { GateResult } from './gate-result.ts';
import { hostOf, type Target } from './target.ts';

/** Stands in a gate's phrase for the target itself: the caller puts the target's name there. */
export const TARGET_PLACEHOLDER = '@target';

/** Stands in a gate's phrase for what a pattern matches: the phrase names how many there are. */
export const MATCHES_PLACEHOLDER = '@matches';

/**
 * Keys of what a command acts on, for destructive windows: `lxc/135@host:lab`,
 * `/srv/media@lxc:media`, `/srv@lxc/135@host:lab`. Null where the reach is unknown; empty where nothing
 * narrower than the target itself is named (a host as object opens no window).
 */
export function objectsOf(gate: GateResult, target: Target): readonly string[] | null {
  if (gate.touches === 'unknown') return null;
  // What a pattern matches is another thing each time: no window may cover it.
  if (gate.confirm?.object === MATCHES_PLACEHOLDER) return null;
  const guests = [...new Set(gate.touches)].map((guest) => `${guest}@${hostOf(target)}`);
  const named = gate.confirm?.object;
  const within = gate.confirm?.within === undefined ? '' : `${WITHIN}${gate.confirm.within}`;
  if (guests.length > 1 || named === undefined) {
    return guests.length > 0 ? guests : ownObject(target);
  }
  const [guest] = guests;
  if (named === TARGET_PLACEHOLDER) {
    return (guest === undefined ? ownObject(target) : [guest]).map((object) => object + within);
  }
  if (guest === undefined) return [`${named}@${target.slug}${within}`];
  // `pct exec 135 -- rm -rf /srv` names a path in 135: confirming it is not confirming 135.
  return [
    guest.startsWith(`lxc/${named}@`) || guest.startsWith(`vm/${named}@`)
      ? guest
      : `${named}@${guest}${within}`,
  ];
}

const WITHIN = ' #';

/** A key of `objectsOf` as people are shown it. */
export function shownObject(key: string): string {
  const at = key.indexOf(WITHIN);
  return at < 0 ? key : key.slice(0, at);
}

function ownObject(target: Target): readonly string[] {
  return target.kind === 'host' ? [] : [`${target.kind}/${target.vmid}@${target.host}`];
}

/** The gate's phrase with the target's own name, or the number of matches, put in. */
export function phraseFor(
  gate: GateResult,
  target: Target,
  matches = 0,
): { readonly verb: string; readonly object: string } | null {
  if (!gate.confirm) return null;
  const { verb, object } = gate.confirm;
  if (object === MATCHES_PLACEHOLDER) {
    return { verb, object: matches === 1 ? '1 file' : `${matches} files` };
  }
  return { verb, object: object === TARGET_PLACEHOLDER ? target.name : object };
}
