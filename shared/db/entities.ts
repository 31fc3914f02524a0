import { eq, inArray, sql } from 'drizzle-orm';
import { z } from 'zod';
import { DIALECTS } from '../domain/dialect.ts';
import { RISK_CLASSES } from '../domain/risk.ts';
import type { TargetEntity } from '../domain/target.ts';
import type { Sealer } from '../seal.ts';
import { targetContent } from '../sealed.ts';
import type { Db, Tx } from './client.ts';
import { entities } from './schema.ts';

function toOptional<T>(value: T | null | undefined): T | undefined {
  return value ?? undefined;
}

/** Attributes as the rest of the program may rely on them; unknown keys are kept in the row. */
const attributesSchema = z.object({
  host: z.string().optional().catch(undefined),
  vmid: z.coerce.number().int().positive().optional().catch(undefined),
  site: z.string().default('home').catch('home'),
  shell: z.enum(DIALECTS).optional().catch(undefined),
  /** Of fleet.yaml; what is no class counts as the strictest. */
  floor: z.enum(RISK_CLASSES).nullish().catch('destructive').transform(toOptional).optional(),
  /** Folders of a host whose files guests or shares may write; undefined: nobody has asked yet. */
  guestWritable: z.array(z.string()).optional().catch(undefined),
  /** Bears the name or an address of the daemon's own machine: perhaps Oikos lives there. */
  looksOwn: z.boolean().default(false).catch(false).optional(),
  rootVolume: z.string().optional().catch(undefined),
  hostKey: z.string().optional().catch(undefined),
  /** What its id was found to be instead, in words. */
  mistaken: z.string().nullish().catch(undefined).transform(toOptional).optional(),
});

export interface FleetEntity extends TargetEntity {
  readonly attributes: z.infer<typeof attributesSchema>;
  readonly state: string;
  /** The daemon's, over what and where it is. */
  readonly seal?: string | null;
}

/** Hosts and guests that commands can be aimed at. */
export async function fleetEntities(db: Db | Tx): Promise<FleetEntity[]> {
  return (await knownEntities(db)).filter(({ state }) => state !== 'gone');
}

/** The same with those that the fleet file lists no longer: what protected them still does. */
export async function knownEntities(db: Db | Tx): Promise<FleetEntity[]> {
  const rows = await db
    .select()
    .from(entities)
    .where(inArray(entities.type, ['host', 'lxc', 'vm']))
    .orderBy(entities.slug);
  return rows.map((row) => ({
    type: row.type,
    slug: row.slug,
    name: row.name,
    state: row.state,
    seal: row.seal,
    attributes: attributesSchema.parse(row.attributes),
  }));
}

export interface EntityFacts {
  readonly type: 'host' | 'lxc' | 'vm';
  readonly slug: string;
  readonly name: string;
  readonly state: string;
  readonly attributes: Record<string, unknown>;
}

/** Inserts or refreshes an entity; given attributes are merged over the ones it has. */
export async function upsertEntity(db: Db | Tx, facts: EntityFacts, now: Date): Promise<void> {
  await db
    .insert(entities)
    .values({ ...facts, updatedAt: now })
    .onConflictDoUpdate({
      target: entities.slug,
      set: {
        name: facts.name,
        state: facts.state,
        attributes: sql`${entities.attributes} || excluded.attributes`,
        updatedAt: now,
      },
    });
}

/** Seals what and where these targets are; the daemon's alone to do, from its own fleet file. */
export async function sealTargets(tx: Tx, seals: Sealer, slugs: readonly string[]): Promise<void> {
  const ours = (await fleetEntities(tx)).filter(({ slug }) => slugs.includes(slug));
  for (const entity of ours) {
    const seal = seals.seal('target', targetContent(entity));
    await tx.update(entities).set({ seal }).where(eq(entities.slug, entity.slug));
  }
}
