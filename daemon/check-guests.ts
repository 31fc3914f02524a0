import type { Db } from '../shared/db/client.ts';
import { readNow } from '../shared/db/clock.ts';
import { fleetEntities, upsertEntity } from '../shared/db/entities.ts';
import type { ExecutionRow } from '../shared/db/executions.ts';
import type { Sealer } from '../shared/seal.ts';
import type { Judged } from './claim.ts';
import {
  type ExpectedGuest,
  expectedGuests,
  identityCommand,
  identityMismatch,
  rootVolumeOf,
} from './identity.ts';
import { probe } from './probe.ts';
import type { HostSlot } from './ssh/transport.ts';
import { findElsewhere } from './whereabouts.ts';

type Startable = Extract<Judged, { kind: 'start' }>;

/**
 * Reads each guest that a start depends on right before it: undefined when all are as the card or the
 * rule had them, else why nothing may start. What their files say now is remembered.
 */
export async function checkGuests(
  deps: { readonly db: Db; readonly seals: Sealer },
  slot: HostSlot,
  judged: Startable,
): Promise<string | undefined> {
  const { db } = deps;
  const { row, gate, rule } = judged;
  const host = { kind: 'host', slug: row.hostSlug, name: row.hostSlug } as const;
  for (const guest of expectedGuests(row, gate)) {
    const answer = await probe(slot, host, identityCommand(guest));
    const mismatch = identityMismatch(guest, answer, row.hostSlug);
    const isMissing = mismatch && answer.kind === 'answered' && answer.code !== 0;
    const slug = slugOf(row, guest);
    if (isMissing) return (await findElsewhere(deps, slot, { guest, host, slug })) ?? mismatch;
    if (mismatch) return mismatch;
    const rootVolume = rootVolumeOf(answer);
    await rememberRoot(db, row.targetSlug, guest, rootVolume);
    const wanted = rule?.identity.rootVolume ?? rootVolume;
    if (wanted !== rootVolume) {
      return `the root volume of CT ${guest.vmid} is ${rootVolume ?? 'not told'}, and R${rule?.number} was made for ${wanted}`;
    }
  }
  return undefined;
}

function slugOf(row: ExecutionRow, { kind, vmid }: ExpectedGuest): string | null {
  if (row.targetKind !== 'host') return row.targetSlug;
  return row.guests.find(({ key }) => key === `${kind}/${vmid}`)?.slug ?? null;
}

/** Rules are tied to the root volume: the entity says which one it was at the last look. */
async function rememberRoot(
  db: Db,
  target: string,
  guest: ExpectedGuest,
  rootVolume: string | undefined,
): Promise<void> {
  if (rootVolume === undefined || guest.kind !== 'lxc') return;
  const entity = (await fleetEntities(db)).find(({ slug }) => slug === target);
  if (entity?.attributes.vmid !== guest.vmid) return;
  if (entity.attributes.rootVolume === rootVolume) return;
  const { slug, name, state } = entity;
  const facts = { type: guest.kind, slug, name, state, attributes: { rootVolume } };
  await upsertEntity(db, facts, await readNow(db));
}
