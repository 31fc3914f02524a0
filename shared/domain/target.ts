/** What a command acts on. A slug is `<type>:<name>`, lower case, unique. */
export type Target =
  | { readonly kind: 'host'; readonly slug: string; readonly name: string }
  | {
      readonly kind: 'lxc' | 'vm';
      readonly slug: string;
      readonly name: string;
      /** Slug of the Proxmox host, always with its `host:` prefix. */
      readonly host: string;
      readonly vmid: number;
    };
export type TargetKind = Target['kind'];
export const TARGET_KINDS = ['host', 'lxc', 'vm'] as const satisfies readonly TargetKind[];

/** The part of an entity row that target resolution looks at. */
export interface TargetEntity {
  readonly type: string;
  readonly slug: string;
  readonly name: string;
  readonly attributes: {
    readonly host?: string | undefined;
    readonly vmid?: number | undefined;
    readonly mistaken?: string | undefined;
  };
}

export type Resolution =
  | { readonly ok: true; readonly target: Target }
  | { readonly ok: false; readonly reason: string };

/**
 * The one way from a written target to a Target: exact slug, else a bare name that one host or
 * guest has, else digits that one guest has as vmid, else a refusal that lists what there is.
 */
export function resolveTarget(written: string, entities: readonly TargetEntity[]): Resolution {
  const wanted = written.trim().toLowerCase();
  const candidates = entities.filter((entity) => isTargetKind(entity.type));
  const exact = candidates.filter((entity) => entity.slug === wanted);
  const named = candidates.filter((entity) => entity.name.toLowerCase() === wanted);
  const numbered = /^\d+$/.test(wanted)
    ? candidates.filter((entity) => entity.attributes.vmid === Number(wanted))
    : [];
  for (const found of [exact, named, numbered]) {
    if (found.length > 1) return { ok: false, reason: ambiguous(written, found) };
    if (found[0]) return toTarget(found[0], candidates);
  }
  return { ok: false, reason: unknownTarget(written, candidates) };
}

/** `strong` and `host:strong` are the same host; data may hold either. */
export function hostSlug(host: string): string {
  return host.startsWith('host:') ? host : `host:${host}`;
}

/** Slug of the machine whose SSH daemon is asked: the host itself, or the guest's Proxmox host. */
export function hostOf(target: Target): string {
  return target.kind === 'host' ? target.slug : target.host;
}

/** One line for people: `lxc:web (CT 101 "web" on host:lab)`. */
export function describeTarget(target: Target): string {
  if (target.kind === 'host') return target.slug;
  const noun = target.kind === 'lxc' ? 'CT' : 'VM';
  return `${target.slug} (${noun} ${target.vmid} "${target.name}" on ${target.host})`;
}

function isTargetKind(type: string): type is TargetKind {
  return (TARGET_KINDS as readonly string[]).includes(type);
}

function toTarget(entity: TargetEntity, all: readonly TargetEntity[]): Resolution {
  const { slug, name } = entity;
  if (entity.type === 'host') return { ok: true, target: { kind: 'host', slug, name } };
  const { host, vmid, mistaken } = entity.attributes;
  if (host === undefined || vmid === undefined) {
    return {
      ok: false,
      reason: `${slug} has no Proxmox host or vmid recorded; list it in fleet.yaml`,
    };
  }
  if (mistaken !== undefined) {
    return {
      ok: false,
      reason: `${slug} is not what fleet.yaml says: ${mistaken}; correct it there`,
    };
  }
  const on = hostSlug(host);
  if (!all.some((other) => other.type === 'host' && other.slug === on)) {
    return { ok: false, reason: `${slug} is recorded on ${on}, but no such host is in the fleet` };
  }
  const kind = entity.type === 'vm' ? 'vm' : 'lxc';
  return { ok: true, target: { kind, slug, name, host: on, vmid } };
}

function ambiguous(written: string, found: readonly TargetEntity[]): string {
  return `"${written}" fits several targets: ${list(found)}; use the full slug`;
}

function unknownTarget(written: string, all: readonly TargetEntity[]): string {
  if (all.length === 0)
    return `no target "${written}": the fleet is empty (is the daemon running?)`;
  return `no target "${written}"; there are: ${list(all)}`;
}

function list(entities: readonly TargetEntity[]): string {
  const slugs = entities.map(({ slug }) => slug).toSorted();
  return slugs.length > 40 ? `${slugs.slice(0, 40).join(', ')}, …` : slugs.join(', ');
}
