import type { ExecutionRow } from '../shared/db/executions.ts';
import { targetOf } from '../shared/db/windows.ts';
import { hostOf } from '../shared/domain/target.ts';
import { specHash } from '../shared/spec-hash.ts';

/**
 * What a row runs, and where, is what its hash was made of. The host that is connected to has a
 * column of its own, which the hash of a command on a host does not cover.
 */
export function isAsJudged(row: ExecutionRow): boolean {
  if (row.targetKind !== 'host' && row.vmid === null) return false;
  const target = targetOf(row);
  const hash = specHash(target, row.dialect, row.command, row.guests, row.facts);
  return hash === row.specHash && row.hostSlug === hostOf(target);
}
