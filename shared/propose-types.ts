import type { Db } from './db/client.ts';
import type { ExecutionRow } from './db/executions.ts';
import type { RiskClass } from './domain/risk.ts';

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
  /** No window and no class lets it run unasked: it waits on a card, or is refused. */
  readonly onlyAsk?: true;
}

export type ProposeAnswer =
  | {
      readonly kind: 'refused';
      readonly reasons: readonly string[];
      readonly hint?: string;
      /** The row that says so, where whoever asked has yet to be told of it. */
      readonly executionId?: string;
    }
  | { readonly kind: 'duplicate'; readonly execution: ExecutionRow }
  | { readonly kind: 'waiting'; readonly execution: ExecutionRow }
  | { readonly kind: 'started'; readonly execution: ExecutionRow }
  /** A loop, made into one execution for each of its rounds: waiting, or started under a window. */
  | { readonly kind: 'split'; readonly executions: readonly ExecutionRow[] };

export interface ProposeDeps {
  readonly db: Db;
  /** Wakes a daemon for a row that is approved or to be looked at; the sweeper rings again. */
  readonly ring: (execution: { id: string; site: string }) => Promise<void>;
  /** The row once a daemon has looked at its files, or as it stands after a while. */
  readonly waitForLook: (executionId: string) => Promise<ExecutionRow>;
}

/** Proposals in an hour that nobody but the house itself, or a viewer, brought about. */
export const MAX_UNASKED_PROPOSALS = 20;

/** How long a call waits for a daemon to look at the command's files (K17). */
export const LOOK_PATIENCE_MS = 20_000;

/** Cards that may wait at once, in a task and in a room: more would be approved unread. */
export const MAX_OPEN_CARDS = { task: 6, room: 12 } as const;
