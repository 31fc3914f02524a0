import type { Sealer } from '../../shared/seal.ts';
import { type Env, readSettings } from '../settings.ts';

/**
 * The seals of SEAL_KEY_FILE, for commands that write what both processes must believe.
 * @throws SealKeyError
 */
export async function openSealer(env: Env): Promise<Sealer> {
  const { createSealer } = await import('../../shared/seal.ts');
  const { readSealKeys, SealKeyError } = await import('../../shared/seal-keys.ts');
  const settings = readSettings(env, ['SEAL_KEY_FILE']);
  if (!settings.ok) throw new SealKeyError(settings.problems.join('; '));
  return createSealer(readSealKeys(settings.config.SEAL_KEY_FILE));
}
