import type { ExecutionRow } from './db/executions.ts';
import { targetOf } from './db/windows.ts';
import { hostOf } from './domain/target.ts';
import type { Sealer } from './seal.ts';
import { executionContent } from './sealed.ts';
import { specHash } from './spec-hash.ts';

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

/** A row that waits is the one that was proposed: what is shown of it, or granted to it, is that. */
export function isAsProposed(row: ExecutionRow, seals: Sealer): boolean {
  return seals.fits('execution', executionContent(row), row.seal) && isAsJudged(row);
}
