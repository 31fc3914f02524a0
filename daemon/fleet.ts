import { type Document, isMap, isScalar, isSeq, LineCounter, type Node, parseDocument } from 'yaml';
import { z } from 'zod';
import { FLOOR_CLASSES, type FloorClass } from '../shared/domain/gate-setting.ts';
import { hostSlug } from '../shared/domain/target.ts';

const NAME = /^[a-z0-9][a-z0-9.-]{0,62}$/;
const hostName = z
  .string()
  .transform(hostSlug)
  .pipe(z.string().regex(/^host:[a-z0-9][a-z0-9.-]{0,62}$/, 'must be like host:strong'));
const filled = z.string().trim().min(1, 'must not be empty');

const hostSchema = z.strictObject({
  slug: hostName,
  address: filled,
  port: z.number().int().min(1).max(65_535).default(22),
  user: filled.default('root'),
  key_file: filled.optional(),
  key_passphrase_file: filled.optional(),
  agent: z
    .string()
    .regex(/^(?:SSH_AUTH_SOCK|\/.+)$/, 'must be SSH_AUTH_SOCK, or the path of an agent socket')
    .optional(),
  host_key: z
    .string()
    .regex(
      /^SHA256:[A-Za-z0-9+/]{43}$/,
      'must be a fingerprint as ssh-keygen -lf prints it: SHA256:…',
    )
    .optional(),
  known_hosts: filled.optional(),
  jump: hostName.optional(),
  site: z.string().regex(NAME).default('home'),
  sudo: z.boolean().default(false),
  floor: z.enum(FLOOR_CLASSES).optional(),
});

const guestSchema = z.strictObject({
  slug: z
    .string()
    .regex(/^(?:lxc|vm):[a-z0-9][a-z0-9.@-]{0,94}$/, 'must be like lxc:caddy or vm:home-assistant'),
  host: hostName,
  vmid: z.number().int().min(100).max(999_999_999),
  kind: z.enum(['lxc', 'vm']).optional(),
  name: filled.optional(),
  floor: z.enum(FLOOR_CLASSES).optional(),
});

const fleetSchema = z.strictObject({
  hosts: z.array(hostSchema).default([]),
  guests: z.array(guestSchema).default([]),
});

/** A host as the daemon reaches it; only slug, site and the public hostKey leave its memory. */
export interface FleetHost {
  readonly slug: string;
  readonly address: string;
  readonly port: number;
  readonly user: string;
  /** Undefined where an agent holds the key. */
  readonly keyFile: string | undefined;
  readonly passphraseFile: string | undefined;
  /** The socket of an SSH agent, or `SSH_AUTH_SOCK`: the one that the environment names. */
  readonly agent?: string | undefined;
  /** Pinned `SHA256:…`; undefined: the host is refused and its key is shown. */
  readonly hostKey: string | undefined;
  /** The known_hosts file that the pin comes from. */
  readonly knownHosts?: string | undefined;
  readonly jump: string | undefined;
  readonly site: string;
  readonly sudo: boolean;
  /** Every change on the host itself counts at least as this class; its guests have their own. */
  readonly floor?: FloorClass | undefined;
}

export interface FleetGuest {
  readonly slug: string;
  readonly host: string;
  readonly vmid: number;
  readonly kind: 'lxc' | 'vm';
  readonly name: string;
  readonly floor?: FloorClass | undefined;
}

export interface Fleet {
  readonly hosts: readonly FleetHost[];
  readonly guests: readonly FleetGuest[];
}

export type FleetParsed =
  | { readonly ok: true; readonly fleet: Fleet }
  | { readonly ok: false; readonly problems: readonly string[] };

type Path = readonly PropertyKey[];

/** fleet.yaml's text as a fleet, or every problem with its path and line. */
export function parseFleet(text: string): FleetParsed {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  if (document.errors.length > 0) {
    const problems = document.errors.map(
      ({ pos, message }) => `line ${lines.linePos(pos[0]).line}: ${message}`,
    );
    return { ok: false, problems };
  }
  const lineOf = (path: Path) => {
    const range = nodeAt(document.contents, path)?.range;
    return range ? lines.linePos(range[0]).line : 1;
  };
  const at = (path: Path, message: string) =>
    `line ${lineOf(path)}: ${[pathText(path), message].filter((text) => text !== '').join(' ')}`;
  const content = contentOf(document);
  if (!content.ok) return { ok: false, problems: [at([], content.problem)] };
  const parsed = fleetSchema.safeParse(content.value ?? {});
  if (!parsed.success) {
    const problems = parsed.error.issues.map(({ path, message }) => at(path, message));
    return { ok: false, problems };
  }
  const fleet = toFleet(parsed.data);
  const problems = contradictions(fleet).map(({ path, message }) => at(path, message));
  return problems.length > 0 ? { ok: false, problems } : { ok: true, fleet };
}

type Content =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly problem: string };

/** Aliases are resolved only here: one that names nothing, or too many of them, is a problem. */
function contentOf(document: Document.Parsed): Content {
  try {
    return { ok: true, value: document.toJS() };
  } catch (error) {
    return { ok: false, problem: error instanceof Error ? error.message : String(error) };
  }
}

function toFleet(file: z.infer<typeof fleetSchema>): Fleet {
  const hosts = file.hosts.map((host) => ({
    slug: host.slug,
    address: host.address,
    port: host.port,
    user: host.user,
    keyFile: host.key_file,
    passphraseFile: host.key_passphrase_file,
    hostKey: host.host_key,
    agent: host.agent,
    knownHosts: host.known_hosts,
    jump: host.jump,
    site: host.site,
    sudo: host.sudo,
    floor: host.floor,
  }));
  return { hosts, guests: file.guests.map(toGuest) };
}

/** What the slug says already need not be said twice: `lxc:web` is a container named web. */
function toGuest(guest: z.infer<typeof guestSchema>): FleetGuest {
  const [prefix = '', rest = ''] = guest.slug.split(':');
  return {
    ...guest,
    kind: guest.kind ?? (prefix === 'vm' ? 'vm' : 'lxc'),
    name: guest.name ?? rest.split('@')[0] ?? rest,
  };
}

interface Contradiction {
  readonly path: Path;
  readonly message: string;
}

/** What each line alone cannot show: names used twice, hosts that are not there, circles of jumps. */
function contradictions(fleet: Fleet): Contradiction[] {
  const hosts = new Map(fleet.hosts.map((host) => [host.slug, host]));
  const seen = new Set<string>();
  const twice = (key: string, path: Path, message: string): Contradiction[] => {
    if (seen.has(key)) return [{ path, message }];
    seen.add(key);
    return [];
  };
  const ofHosts = fleet.hosts.flatMap((host, index) => [
    ...twice(host.slug, ['hosts', index, 'slug'], `${host.slug} is listed twice`),
    ...loginProblems(host).map((message) => ({ path: ['hosts', index], message })),
    ...(host.jump !== undefined && !reachesEnd(host.slug, hosts)
      ? [
          {
            path: ['hosts', index, 'jump'],
            message: `${host.jump} is not in the file or leads back here`,
          },
        ]
      : []),
  ]);
  const ofGuests = fleet.guests.flatMap(({ slug, host, vmid, kind }, index) => [
    ...twice(slug, ['guests', index, 'slug'], `${slug} is listed twice`),
    ...twice(`${host}#${vmid}`, ['guests', index, 'vmid'], `${vmid} is listed twice on ${host}`),
    ...(hosts.has(host)
      ? []
      : [{ path: ['guests', index, 'host'], message: `${host} is not among the hosts` }]),
    ...(slug.startsWith(`${kind}:`)
      ? []
      : [{ path: ['guests', index, 'kind'], message: `is ${kind}, but the slug is ${slug}` }]),
  ]);
  return [...ofHosts, ...ofGuests];
}

/** By what a host is logged in to and known, each said once. */
function loginProblems(host: FleetHost): string[] {
  const { slug, keyFile, passphraseFile, agent, hostKey, knownHosts } = host;
  return [
    ...((keyFile === undefined) === (agent === undefined)
      ? [`${slug} needs either key_file or agent`]
      : []),
    ...(agent !== undefined && passphraseFile !== undefined
      ? [`${slug} has an agent, which needs no key_passphrase_file`]
      : []),
    ...(hostKey !== undefined && knownHosts !== undefined
      ? [`${slug} has host_key and known_hosts: one of them says which key is right`]
      : []),
  ];
}

function reachesEnd(slug: string, hosts: ReadonlyMap<string, FleetHost>): boolean {
  const passed = new Set<string>();
  let next: string | undefined = slug;
  while (next !== undefined) {
    const host = hosts.get(next);
    if (!host || passed.has(next)) return false;
    passed.add(next);
    next = host.jump;
  }
  return true;
}

function pathText(path: Path): string {
  return path.reduce<string>((text, key) => {
    if (typeof key === 'number') return `${text}[${key}]`;
    return text === '' ? String(key) : `${text}.${String(key)}`;
  }, '');
}

/** The deepest node that the path reaches: a missing key is reported at its parent's line. */
function nodeAt(root: Node | null, path: Path): Node | undefined {
  let node: unknown = root;
  for (const key of path) {
    const next: unknown =
      isMap(node) || isSeq(node) ? node.get(key as string | number, true) : null;
    if (!isMap(next) && !isSeq(next) && !isScalar(next)) break;
    node = next;
  }
  return isMap(node) || isSeq(node) || isScalar(node) ? node : undefined;
}
