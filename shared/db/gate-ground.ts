import type { GateGround } from '../gate-facts.ts';
import type { Db, Tx } from './client.ts';
import { knownEntities } from './entities.ts';
import { readGateSettings } from './gate-settings.ts';
import { readOwnFolders } from './own-places.ts';

/**
 * All that a verdict depends on beside the command, as it is in this transaction: bot and daemon
 * judge by what this reads and by nothing else.
 */
export async function readGateGround(db: Db | Tx): Promise<GateGround> {
  const entities = await knownEntities(db);
  const settings = await readGateSettings(db);
  return {
    entities,
    fleet: entities.filter(({ state }) => state !== 'gone'),
    settings,
    ownFolders: await readOwnFolders(db),
  };
}
