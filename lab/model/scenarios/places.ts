import { CONTAINERS, HOST_UNITS } from '../../proxmox/seed.ts';

/** The demo's hosts, the one with the containers first. */
export const HOSTS = ['host:lab', 'host:attic'] as const;
/** Where the containers live. */
export const GUEST_HOST = HOSTS[0];

export interface GuestRef {
  readonly vmid: string;
  readonly slug: string;
}

/** Words that never name a service, whatever stands before or behind them. */
const NO_UNIT =
  /^(?:the|a|an|all|it|this|that|container|containers|ct|lxc|guest|service|services|server|host|vm|machine|everything|plan|of|on|in|my|me|to|up|down|again|please|now|installed|working|broken|running)$/i;
const EXPLICIT = /\b(?:host|lxc|vm):[\w.@-]*\w/i;
/** Other names that people use for a unit. */
const ALIASES: Readonly<Record<string, string>> = {
  postgres: 'postgresql',
  database: 'postgresql',
  sshd: 'ssh',
  webserver: 'nginx',
  resolver: 'dnsmasq',
  backup: 'backup-mirror',
  backups: 'backup-mirror',
};

/** The target that is named in the words, as a slug; undefined when none is. */
export function targetIn(words: string): string | undefined {
  const explicit = EXPLICIT.exec(words)?.[0];
  if (explicit !== undefined) return explicit;
  const guest = guestIn(words);
  if (guest !== undefined) return guest.slug;
  return HOSTS.find((slug) => hasWord(words, slug.slice('host:'.length))) ?? unknownPlace(words);
}

/** The container that is meant: by its slug, its number, or its bare name. */
export function guestIn(words: string): GuestRef | undefined {
  const vmid = /\b(?:container|ct|lxc|guest|number|id|#)?\s*([1-9]\d{2,8})\b/i.exec(words)?.[1];
  if (vmid !== undefined) {
    const known = CONTAINERS.find((container) => String(container.vmid) === vmid);
    return { vmid, slug: known ? `lxc:${known.name}` : `lxc:${vmid}` };
  }
  const slug = /\blxc:([\w.@-]*\w)/i.exec(words)?.[1];
  const byName = CONTAINERS.toSorted((a, b) => b.name.length - a.name.length).find(({ name }) =>
    slug === undefined ? hasWord(words, name) : name === slug,
  );
  return byName && { vmid: String(byName.vmid), slug: `lxc:${byName.name}` };
}

/** The service that is named, by the lab's own units or by its place in the sentence. */
export function unitIn(words: string): string | undefined {
  const known = unitNames().find((unit) => hasWord(words, unit));
  if (known !== undefined) return known;
  const alias = Object.keys(ALIASES).find((name) => hasWord(words, name));
  if (alias !== undefined) return ALIASES[alias];
  const placed =
    /\b(?:restart|start|stop|reload|logs? (?:of|for|from)|status of|(?:service|unit)) (?:the )?(?:service )?`?([a-z][\w@.-]*)`?/i.exec(
      words,
    )?.[1] ?? /\b([a-z][\w@.-]*) service\b/i.exec(words)?.[1];
  return placed === undefined || NO_UNIT.test(placed) || isPlace(placed) ? undefined : placed;
}

/** Where the lab has this unit: containers first, then hosts. */
export function placesOf(unit: string): readonly string[] {
  const guests = CONTAINERS.filter(({ units }) => unit in units).map(({ name }) => `lxc:${name}`);
  return unit in HOST_UNITS ? [...guests, ...HOSTS.slice(0, 1)] : guests;
}

function unitNames(): readonly string[] {
  const names = [HOST_UNITS, ...CONTAINERS.map(({ units }) => units)].flatMap(Object.keys);
  return [...new Set(names)].toSorted((a, b) => b.length - a.length);
}

function isPlace(word: string): boolean {
  return (
    EXPLICIT.test(`${word}:x`) ||
    /^(?:host|lxc|vm)$/i.test(word) ||
    CONTAINERS.some(({ name }) => name === word) ||
    HOSTS.some((slug) => slug === `host:${word}`)
  );
}

/** A name that this lab does not know, behind a preposition: the tool will say what there is. */
function unknownPlace(words: string): string | undefined {
  const named = /\b(?:on|in|at) (?:the )?(?:host |container |server )?([\w.-]*\w)[.!?]*$/i.exec(
    words,
  );
  return named?.[1] === undefined || NO_UNIT.test(named[1]) ? undefined : named[1];
}

function hasWord(words: string, name: string): boolean {
  const escaped = name.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return new RegExp(`(?<![\\w/.-])${escaped}(?![\\w/-]|\\.\\w)`, 'i').test(words);
}
