import type { Value } from './value.ts';

/** The guest a file or volume belongs to, as far as its name tells. */
export function touchedByPath(text: string): readonly string[] | 'unknown' | undefined {
  const config = /\/(lxc|qemu-server)\/(\d+)\.conf/.exec(text);
  if (config) return [`${config[1] === 'lxc' ? 'lxc' : 'vm'}/${config[2]}`];
  const container =
    /\bsubvol-(\d+)-disk/.exec(text) ??
    /^\/var\/lib\/lxc\/(\d+)\b|^(?:pve-container|lxc)(?:-debug)?@(\d+)(?:\.service)?$/.exec(text);
  if (container) return [`lxc/${container[1] ?? container[2]}`];
  // Containers on LVM have volumes of this name too.
  return /\b(vm|base)-\d+-(disk|state|cloudinit)/.test(text) ? 'unknown' : undefined;
}

/** Guests of one kind named by the first word after the verb: `pct stop 135`. */
export function guestOperand(
  kind: 'lxc' | 'vm',
  without: ReadonlySet<string>,
): (words: readonly Value[]) => readonly string[] | 'unknown' {
  return (words) => {
    const [verb, ...rest] = words;
    if (verb?.text === undefined) return 'unknown';
    if (without.has(verb.text)) return [];
    const at = rest.findIndex((word) => word.text === undefined || /^\d+$/.test(word.text));
    const first = rest[at];
    // A number behind an option could be that one's value.
    if (first === undefined || /^-[^=]*$/.test(rest[at - 1]?.text ?? '')) return 'unknown';
    return first.text === undefined ? 'unknown' : [`${kind}/${first.text}`];
  };
}

/** Guests named by an API path: `/nodes/pve/lxc/135/status/stop`. */
export function guestsInApiPath(words: readonly Value[]): readonly string[] | 'unknown' {
  const [verb, ...rest] = words;
  const path = rest.find((word) => word.text === undefined || word.text.startsWith('/'));
  if (path?.text === undefined) return path ? 'unknown' : [];
  const guest = /^\/nodes\/[^/]+\/(lxc|qemu)\/(\d+)(\/|$)/.exec(path.text);
  if (guest) return [`${guest[1] === 'lxc' ? 'lxc' : 'vm'}/${guest[2]}`];
  const looks = verb?.text === 'get' || verb?.text === 'ls' || verb?.text === 'usage';
  return looks ? [] : 'unknown';
}
