import { readSealKeys, SealKeyError } from '../../shared/seal-keys.ts';
import { type Check, fails, ok } from '../check.ts';
import { type Env, readSettings } from '../settings.ts';

/** Whether the seal key is there, for its owner alone. */
export async function checkSealKey(env: Env): Promise<readonly Check[]> {
  const settings = readSettings(env, ['SEAL_KEY_FILE']);
  if (!settings.ok) return settings.problems.map((problem) => fails(problem));
  const path = settings.config.SEAL_KEY_FILE;
  try {
    const [newest, ...older] = readSealKeys(path);
    const more = older.length > 0 ? `, and ${older.length} older that still verify` : '';
    return [ok(`seal key: ${path} (${newest.id}${more})`)];
  } catch (error) {
    if (error instanceof SealKeyError) return [fails(error.message)];
    throw error;
  }
}
