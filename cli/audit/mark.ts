import type { Db } from '../../shared/db/client.ts';
import { ledgerHashAt } from '../../shared/db/ledger.ts';
import { markPath, readMark } from '../../shared/ledger-mark.ts';
import { type Env, readSettings } from '../settings.ts';

/**
 * What the high-water mark says against a chain that is whole in itself, in words: whoever can write
 * the whole chain anew cannot write this file.
 */
export async function markTrouble(env: Env, db: Db): Promise<string | undefined> {
  const settings = readSettings(env, ['SEAL_KEY_FILE']);
  if (!settings.ok) return settings.problems.join('\n');
  const path = markPath(settings.config.SEAL_KEY_FILE);
  const mark = readMark(path);
  if (!mark) return undefined;
  const hash = await ledgerHashAt(db, mark.place);
  if (hash === mark.hash) return undefined;
  return hash === undefined
    ? `The ledger ends before place ${mark.place}, which ${path} remembers: its end was cut off, or the database is an older copy.`
    : `The ledger is another one than ${path} remembers: place ${mark.place} has another hash.`;
}
