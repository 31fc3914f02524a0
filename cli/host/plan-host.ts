import type { Fleet, FleetHost } from '../../daemon/fleet.ts';
import { hostSlug } from '../../shared/domain/target.ts';
import { readAddress, slugFor } from './address.ts';

export interface HostWishes {
  readonly slug?: string | undefined;
  /** Undefined where the agent holds the key. */
  readonly keyFile: string | undefined;
  readonly agent?: string | undefined;
  readonly passphraseFile?: string | undefined;
  readonly site: string;
  readonly jump?: string | undefined;
  readonly sudo: boolean;
}

export type HostPlan =
  /** Not in the file yet; its key is not known. */
  | { readonly kind: 'new'; readonly host: FleetHost }
  /** The file has this very host: it is only compared. */
  | { readonly kind: 'known'; readonly host: FleetHost }
  | { readonly kind: 'refused'; readonly problem: string };

const SLUG = /^host:[a-z0-9][a-z0-9.-]{0,62}$/;
const SITE = /^[a-z0-9][a-z0-9.-]{0,62}$/;

/** What `oikos host add` is to do, from what was typed and what the file has. */
export function planHost(typed: string, wishes: HostWishes, fleet: Fleet): HostPlan {
  const read = readAddress(typed);
  if (!read.ok) return refused(read.problem);
  const slug = wishes.slug === undefined ? slugFor(read.at.address) : hostSlug(wishes.slug);
  if (slug === undefined) {
    return refused(
      `${read.at.address} is an address, not a name: say what to call it, like --slug pve1`,
    );
  }
  if (!SLUG.test(slug))
    return refused(`--slug ${slug} must be lower-case letters, digits, . and -`);
  if (!SITE.test(wishes.site)) {
    return refused(`--site ${wishes.site} must be lower-case letters, digits, . and -`);
  }
  const jump = wishes.jump === undefined ? undefined : hostSlug(wishes.jump);
  const host: FleetHost = {
    ...read.at,
    slug,
    keyFile: wishes.keyFile,
    passphraseFile: wishes.passphraseFile,
    agent: wishes.agent,
    hostKey: undefined,
    jump,
    site: wishes.site,
    sudo: wishes.sudo,
  };
  return amongOthers(host, fleet.hosts);
}

function amongOthers(host: FleetHost, others: readonly FleetHost[]): HostPlan {
  const samePlace = others.find((other) => placeOf(other) === placeOf(host));
  if (samePlace) return { kind: 'known', host: samePlace };
  const sameName = others.find(({ slug }) => slug === host.slug);
  if (sameName) {
    return refused(
      `fleet.yaml has ${host.slug} already, at ${sameName.address}:${sameName.port}: choose another name with --slug, or correct the file`,
    );
  }
  const jump = others.find(({ slug }) => slug === host.jump);
  if (host.jump === undefined || jump?.hostKey !== undefined) return { kind: 'new', host };
  return refused(
    jump
      ? `the key of ${host.jump} is not pinned in fleet.yaml: pin it first`
      : `--jump ${host.jump} is not in fleet.yaml: add that host first`,
  );
}

/** A private address means another machine behind another jump host. */
function placeOf({ address, port, jump }: FleetHost): string {
  return `${address}:${port} through ${jump ?? 'nothing'}`;
}

function refused(problem: string): HostPlan {
  return { kind: 'refused', problem };
}
