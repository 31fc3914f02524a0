import { readFile } from 'node:fs/promises';
import { and, inArray, notInArray, sql } from 'drizzle-orm';
import type { Db } from '../shared/db/client.ts';
import { readNow } from '../shared/db/clock.ts';
import { sealTargets, upsertEntity } from '../shared/db/entities.ts';
import { entities } from '../shared/db/schema.ts';
import type { Sealer } from '../shared/seal.ts';
import { type Fleet, type FleetParsed, parseFleet } from './fleet.ts';
import { withKnownHosts } from './pinned-keys.ts';

/** Reads fleet.yaml; a file that is not there is a problem like any other. */
export async function readFleetFile(path: string): Promise<FleetParsed> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { ok: false, problems: [`${path} cannot be read: ${why} (see fleet.example.yaml)`] };
  }
  const read = parseFleet(text);
  const parsed = read.ok ? withKnownHosts(read.fleet) : read;
  if (parsed.ok) return parsed;
  return { ok: false, problems: parsed.problems.map((problem) => `${path}, ${problem}`) };
}

/**
 * Writes the site's hosts and guests as entities, and marks as gone what the file no longer lists.
 * The database learns names, ids, sites and the fingerprints of pinned host keys, which rules are
 * tied to; nothing of how the hosts are reached.
 */
export async function syncFleet(db: Db, fleet: Fleet, site: string, seals: Sealer): Promise<void> {
  const hosts = fleet.hosts.filter((host) => host.site === site);
  const ours = new Set(hosts.map(({ slug }) => slug));
  const guests = fleet.guests.filter(({ host }) => ours.has(host));
  await db.transaction(async (tx) => {
    const now = await readNow(tx);
    // A floor that the file no longer has is taken back; the operator's own are kept elsewhere.
    for (const { slug, hostKey = null, floor = null } of hosts) {
      const name = slug.replace(/^host:/, '');
      const attributes = { site, hostKey, floor };
      const facts = { type: 'host' as const, slug, name, state: 'active', attributes };
      await upsertEntity(tx, facts, now);
    }
    for (const { slug, host, vmid, kind, name, floor = null } of guests) {
      const attributes = { host, vmid, site, floor, mistaken: null };
      await upsertEntity(tx, { type: kind, slug, name, state: 'active', attributes }, now);
    }
    const listed = [...ours, ...guests.map(({ slug }) => slug)];
    await sealTargets(tx, seals, listed);
    await tx
      .update(entities)
      .set({ state: 'gone', updatedAt: now })
      .where(
        and(
          inArray(entities.type, ['host', 'lxc', 'vm']),
          sql`coalesce(${entities.attributes} ->> 'site', 'home') = ${site}`,
          listed.length > 0 ? notInArray(entities.slug, listed) : undefined,
        ),
      );
  });
}
