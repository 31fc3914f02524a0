import { eq, max, sql } from 'drizzle-orm';
import type { Sealer } from '../seal.ts';
import { settingContent } from '../sealed.ts';
import type { Db, Tx } from './client.ts';
import { auditEvents, gateSettings } from './schema.ts';

/**
 * What is wrong with the gate's settings, in words; undefined when they are as `oikos policy` left
 * them. A row that is gone or an older one put back fits no more with the ledger.
 */
export async function settingsTrouble(tx: Tx, seals: Sealer): Promise<string | undefined> {
  const told = tx
    .select({
      key: sql<string>`${auditEvents.data} ->> 'key'`.as('told_key'),
      at: max(auditEvents.at).as('told_at'),
    })
    .from(auditEvents)
    .where(eq(auditEvents.kind, 'gate.setting_changed'))
    .groupBy(sql`told_key`)
    .as('told');
  const both = await tx
    .select({ row: gateSettings, key: told.key, at: told.at })
    .from(gateSettings)
    .fullJoin(told, eq(told.key, gateSettings.key));
  for (const { row, at } of both) {
    if (!row) continue;
    const latest = at?.getTime() === row.updatedAt.getTime();
    if (!(latest && seals.fits('gate_setting', settingContent(row), row.seal))) {
      return `the gate's setting "${row.key}" is not as oikos policy wrote it`;
    }
  }
  const lost = both.find(({ row }) => !row);
  return lost && `the gate's setting "${lost.key}" was removed from the database`;
}

/** Seals the settings with the newest key, those that an older one of ours had sealed. */
export async function renewSettingSeals(db: Db, seals: Sealer): Promise<void> {
  await db.transaction(async (tx) => {
    for (const row of await tx.select().from(gateSettings).for('update')) {
      if (!seals.fits('gate_setting', settingContent(row), row.seal)) continue;
      const seal = seals.seal('gate_setting', settingContent(row));
      await tx.update(gateSettings).set({ seal }).where(eq(gateSettings.key, row.key));
    }
  });
}
