import type { ExecutionRow } from './db/executions.ts';
import type { Authorization } from './domain/authorization.ts';
import type { Sealer } from './seal.ts';
import { executionContent } from './sealed.ts';

export interface Granting {
  readonly now: Date;
  /** Until then it can be called off, and does not start. */
  readonly notBefore?: Date | null;
  /** How long it may wait for its start. */
  readonly lifeMs: number;
  readonly authorization: Authorization;
}

/** The columns that a grant writes, with the seal over the row as it then is. */
export function grantPatch(
  seals: Sealer,
  row: ExecutionRow,
  { now, notBefore = null, lifeMs, authorization }: Granting,
) {
  const granted = {
    approvedAt: now,
    notBefore,
    notAfter: new Date(now.getTime() + lifeMs),
    authorization,
  };
  return { ...granted, seal: seals.seal('execution', executionContent({ ...row, ...granted })) };
}
