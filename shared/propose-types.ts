import type { Db } from './db/client.ts';
import type { ExecutionRow } from './db/executions.ts';
import type { RiskClass } from './domain/risk.ts';
import type { Sealer } from './seal.ts';

export interface ProposeAsk {
  readonly taskId: string;
  readonly turnId: string | null;
  /** `<turn>:<ordinal>`: makes a repeated call find the execution it already made. */
  readonly callKey: string;
  readonly target: string;
  readonly command: string;
  readonly purpose: string;
  readonly declaredRisk?: RiskClass | undefined;
  readonly timeLimitMs?: number | undefined;
  /** One of several targets that get the same command at once: reads only (K5). */
  readonly batchId?: string | undefined;
}

export type ProposeAnswer =
  | { readonly kind: 'refused'; readonly reasons: readonly string[]; readonly hint?: string }
  | { readonly kind: 'duplicate'; readonly execution: ExecutionRow }
  | { readonly kind: 'waiting'; readonly execution: ExecutionRow }
  | { readonly kind: 'started'; readonly execution: ExecutionRow };

export interface ProposeDeps {
  readonly db: Db;
  /** Wakes a daemon for an approved row; best effort, the sweeper rings again. */
  readonly ring: (execution: { id: string; site: string }) => Promise<void>;
  readonly seals: Sealer;
}

/** Cards that may wait at once, in a task and in a room: more would be approved unread. */
export const MAX_OPEN_CARDS = { task: 6, room: 12 } as const;
