import type { RawRoomEvent } from './raw-event.ts';

/** Where the sync loop keeps its place. Implemented on Postgres by whoever composes the process. */
export interface SyncStore {
  /** Where the last committed sync ended; null before the first. */
  loadToken(): Promise<string | null>;
  /**
   * Stores the events in order and the token in one transaction. It is called again with the same
   * arguments after a failure, and events may come twice: their id is the key.
   */
  commit(events: RawRoomEvent[], token: string): Promise<void>;
}
