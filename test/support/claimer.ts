import type { Claimer } from '../../daemon/claim.ts';
import { testSeals } from './seals.ts';

/** A daemon that has the house's one host, and to whom no ledger told of any end. */
export function testClaimer(more: Partial<Claimer> = {}): Claimer {
  return {
    owner: 'd/1',
    hosts: new Set(['host:lab']),
    seals: testSeals,
    tellsEnd: () => false,
    ...more,
  };
}
