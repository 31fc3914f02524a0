import type { Db } from '../../shared/db/client.ts';
import type { Log } from '../../shared/log.ts';
import type { RoomPort } from './ports.ts';

/** What every part of the conversation is given. */
export interface ConversationDeps {
  readonly db: Db;
  readonly room: RoomPort;
  readonly log: Log;
  /** Our own Matrix id. */
  readonly userId: string;
  readonly agent: string;
  readonly isOperator: (userId: string) => boolean;
  /** May talk and look, decides nothing. */
  readonly isViewer: (userId: string) => boolean;
  /** Everybody whom `isOperator` is true of. */
  readonly operators: readonly string[];
  readonly ring: (execution: { id: string; site: string }) => Promise<void>;
  readonly reactionsOpenWindow: boolean;
  readonly graceMs: number;
  readonly staleYesMs: number;
  readonly timeZone: string;
}
