import { sql } from 'drizzle-orm';
import { z } from 'zod';
import { canonicalJson } from '../canonical-json.ts';
import { FLOOR_CLASSES, type SettingKey } from '../domain/gate-setting.ts';
import { GATE_POLICY } from '../gate/policy.ts';
import type { Sealer } from '../seal.ts';
import { settingContent } from '../sealed.ts';
import { audit } from './audit.ts';
import type { Db, Tx } from './client.ts';
import { readNow } from './clock.ts';
import { announce } from './outbox.ts';
import { gateSettings, rooms } from './schema.ts';

/** A host or guest by its slug, or a guest that the fleet does not list by kind and id: `lxc/140`. */
const place = z
  .string()
  .regex(/^(?:(?:host|lxc|vm):[a-z0-9][a-z0-9.@-]{0,94}|(?:lxc|vm)\/[1-9]\d{2,8})$/);
const folder = z
  .string()
  .max(500)
  .regex(/^(?:\/(?!\.{1,2}(?:\/|$))[^\s/'"]+)+$/, 'must be an absolute path, not /');
const word = z.string().regex(/^[A-Za-z0-9][\w@.:-]{0,199}$/, 'must be a name without spaces');
const address = z.union([z.ipv4(), z.ipv6(), z.string().regex(/^[a-z0-9][a-z0-9.-]{1,252}$/i)]);
const list = (entry: z.ZodType<string>) => z.array(entry).max(200).default([]);

/** Where Oikos itself lives, as the operator says; an empty list means its usual names. */
const selfSetting = z.strictObject({
  slugs: list(place),
  paths: list(folder),
  units: list(word),
  addresses: list(address),
});
export type SelfSetting = z.infer<typeof selfSetting>;

/** By place: every change there counts at least as this class. */
const floorsSetting = z.record(place, z.enum(FLOOR_CLASSES));

const SHAPES = {
  policy: GATE_POLICY,
  self: selfSetting,
  floors: floorsSetting,
} satisfies Record<SettingKey, z.ZodType>;

/** Everything that an operator can tell the gate, with the usual values where nothing was told. */
const settingsShape = z.strictObject(SHAPES);
export type GateSettings = z.infer<typeof settingsShape>;

/** The settings of a house whose operator said nothing. */
export const DEFAULT_SETTINGS: GateSettings = settingsShape.parse({
  policy: {},
  self: {},
  floors: {},
});

/** A stored setting has a form that no version of ours wrote: nothing may be judged by it. */
export class GateSettingsBroken extends Error {
  override readonly name = 'GateSettingsBroken';
}

/**
 * The settings as they are now; read them in the transaction that judges by them.
 * @throws GateSettingsBroken
 */
export async function readGateSettings(db: Db | Tx): Promise<GateSettings> {
  const rows = await db.select().from(gateSettings);
  const stored = Object.fromEntries(rows.map(({ key, value }) => [key, value]));
  const parsed = settingsShape.safeParse({ policy: {}, self: {}, floors: {}, ...stored });
  if (parsed.success) return parsed.data;
  throw new GateSettingsBroken(z.prettifyError(parsed.error));
}

export interface SettingChange<K extends SettingKey> {
  readonly key: K;
  /** The new value out of the present one. @throws what it finds wrong */
  readonly next: (present: GateSettings[K]) => z.input<(typeof SHAPES)[K]>;
  /** `cli:<user>`. */
  readonly actor: string;
  /** What the rooms are told. */
  readonly line: string;
}

/**
 * Changes one setting: row, ledger (old and new value) and a line in every room, in one transaction.
 * @returns false when nothing is different
 * @throws GateSettingsBroken when the new value is none
 */
export function changeGateSetting<K extends SettingKey>(
  db: Db,
  seals: Sealer,
  { key, next, actor, line }: SettingChange<K>,
): Promise<boolean> {
  return db.transaction(async (tx) => {
    // Two changes at once take turns; those who read go on reading.
    await tx.execute(sql`lock table gate_settings in share row exclusive mode`);
    const present = (await readGateSettings(tx))[key];
    const parsed = SHAPES[key].safeParse(next(present));
    if (!parsed.success) throw new GateSettingsBroken(z.prettifyError(parsed.error));
    const { data: value } = parsed;
    if (canonicalJson(value) === canonicalJson(present)) return false;
    const now = await readNow(tx);
    const told = { value, updatedAt: now, updatedBy: actor };
    const seal = seals.seal('gate_setting', settingContent({ key, ...told }));
    const row = { ...told, seal };
    await tx
      .insert(gateSettings)
      .values({ key, ...row })
      .onConflictDoUpdate({ target: gateSettings.key, set: row });
    const data = { key, old: present, new: value };
    await audit(tx, { at: now, kind: 'gate.setting_changed', actor, data });
    for (const { roomId } of await tx.select({ roomId: rooms.roomId }).from(rooms)) {
      await announce(tx, { type: 'room.say', roomId, data: { text: line }, at: now });
    }
    return true;
  });
}
