import { z } from 'zod';
import type { Db, Tx } from '../shared/db/client.ts';
import { readNow } from '../shared/db/clock.ts';
import {
  type FleetEntity,
  fleetEntities,
  sealTargets,
  upsertEntity,
} from '../shared/db/entities.ts';
import type { Target } from '../shared/domain/target.ts';
import type { Sealer } from '../shared/seal.ts';
import type { ExpectedGuest } from './identity.ts';
import { type ProbeAnswer, probe } from './probe.ts';
import type { HostSlot } from './ssh/transport.ts';

/** What a cluster has under a guest's id, and where. */
export interface Whereabouts {
  readonly kind: 'lxc' | 'vm';
  readonly name: string;
  readonly node: string;
}

const QUESTION = 'pvesh get /cluster/resources --type vm --output-format json';
const MAX_ANSWER = 4 * 1024 * 1024;

const resources = z.array(
  z.object({
    type: z.enum(['lxc', 'qemu']).catch('qemu'),
    vmid: z.coerce.number().optional(),
    name: z.string().default(''),
    node: z.string(),
  }),
);

/** Reads the answer to `pvesh get /cluster/resources`; an id is unique in a cluster. */
export function whereaboutsOf(vmid: number, answer: ProbeAnswer): Whereabouts | undefined {
  if (answer.kind !== 'answered' || answer.code !== 0) return undefined;
  const read = resources.safeParse(jsonOf(answer.stdout));
  const found = read.data?.find((one) => one.vmid === vmid);
  if (!found) return undefined;
  return { kind: found.type === 'lxc' ? 'lxc' : 'vm', name: found.name, node: found.node };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export interface MissingGuest {
  readonly guest: ExpectedGuest;
  /** Where the card had it. */
  readonly host: Target;
  /** Its entity; null where the fleet does not list it. */
  readonly slug: string | null;
}

/**
 * Looks for a guest that is not on its host any more. One that moved to another host of the fleet is
 * recorded there, so that asking again shows the new one; an id that is another machine's is marked.
 * Answers in words what became of it; undefined when that cannot be told.
 */
export async function findElsewhere(
  { db, seals }: { readonly db: Db; readonly seals: Sealer },
  slot: HostSlot,
  { guest, host, slug }: MissingGuest,
): Promise<string | undefined> {
  const answer = await probe(slot, host, QUESTION, { maxAnswer: MAX_ANSWER });
  const found = whereaboutsOf(guest.vmid, answer);
  if (!found) return undefined;
  const fleet = await fleetEntities(db);
  const entity = fleet.find((one) => one.slug === slug);
  const noun = (kind: 'lxc' | 'vm') => (kind === 'lxc' ? 'CT' : 'VM');
  if (found.kind !== guest.kind || found.name !== guest.name) {
    const is = `${guest.vmid} is ${noun(found.kind)} ${found.name} on node ${found.node}`;
    if (entity) await remember(db, entity, { mistaken: is });
    return `${is} now, not ${noun(guest.kind)} ${guest.name}`;
  }
  const what = `${noun(guest.kind)} ${guest.vmid}`;
  // Nodes of other sites may bear the same names.
  const site = fleet.find((one) => one.slug === (slug ?? host.slug))?.attributes.site;
  const now = fleet.find(
    ({ type, name, attributes }) =>
      type === 'host' && name === found.node.toLowerCase() && attributes.site === site,
  );
  if (!now) return `${what} is on node ${found.node} now, which is no host of the fleet`;
  if (now.slug === host.slug) return undefined;
  if (entity) {
    await db.transaction(async (tx) => {
      await remember(tx, entity, { host: now.slug });
      await sealTargets(tx, seals, [entity.slug]);
    });
  }
  const again = entity ? `ask again for ${entity.slug}` : 'ask again there';
  return `${what} has moved from ${host.slug} to ${now.slug} since this was proposed: ${again}`;
}

async function remember(
  db: Db | Tx,
  { type, slug, name, state }: FleetEntity,
  attributes: Record<string, unknown>,
): Promise<void> {
  if (type !== 'lxc' && type !== 'vm') return;
  await upsertEntity(db, { type, slug, name, state, attributes }, await readNow(db));
}
