import type { OutboxRow } from '../shared/db/outbox.ts';
import { markFailed, markTold, untoldRows } from './relay-rows.ts';
import { type TellDeps, tell } from './tell.ts';

const POLL_MS = 2_000;
const BATCH = 200;

export interface RelayDeps extends TellDeps {
  /** True for refusals that will not change by themselves: no longer in the room, too large. */
  readonly isPermanent: (error: unknown) => boolean;
}

export interface Relay {
  wake(): void;
  idle(): boolean;
  close(): Promise<void>;
}

/**
 * The outbox's only consumer: tells rooms and calls the agent again. Rows of one room are told in
 * order; a room that cannot be reached blocks no other. Telling twice shows once, because each send
 * carries the row's id as its transaction id.
 */
export function startRelay(deps: RelayDeps): Relay {
  let closing = false;
  let busy = false;
  let again = false;
  const pausedUntil = new Map<string, number>();

  const pass = async (): Promise<boolean> => {
    const rows = await untoldRows(deps.db, BATCH);
    const rooms = Map.groupBy(rows, ({ roomId }) => roomId);
    const told = await Promise.all([...rooms].map(([roomId, own]) => tellRoom(roomId, own)));
    return told.some(Boolean);
  };
  const tellRoom = async (roomId: string, rows: readonly OutboxRow[]): Promise<boolean> => {
    if ((pausedUntil.get(roomId) ?? 0) > performance.now()) return false;
    for (const row of rows) {
      if (closing) return false;
      if (!(await tellOne(roomId, row))) return false;
    }
    return true;
  };
  const tellOne = async (roomId: string, row: OutboxRow): Promise<boolean> => {
    try {
      await tell(deps, row);
      await markTold(deps.db, row.seq);
      return true;
    } catch (error) {
      const permanent = deps.isPermanent(error);
      deps.log.warn({ outbox: row.seq, type: row.type, roomId, permanent, err: error }, 'not told');
      await markFailed(deps.db, row, String(error), permanent);
      if (!permanent) pause(roomId, row.attempts);
      return permanent;
    }
  };
  const pause = (roomId: string, attempts: number) => {
    pausedUntil.set(roomId, performance.now() + Math.min(500 * 2 ** attempts, 60_000));
  };
  const run = async () => {
    if (busy || closing) {
      again = true;
      return;
    }
    busy = true;
    try {
      do {
        again = false;
      } while ((await pass()) || again);
    } catch (error) {
      deps.log.warn({ err: error }, 'the outbox could not be read; trying again');
    } finally {
      busy = false;
    }
  };
  const timer = setInterval(() => void run(), POLL_MS);
  void run();
  return {
    wake: () => void run(),
    idle: () => !(busy || again),
    async close() {
      closing = true;
      clearInterval(timer);
      while (busy) await new Promise((resolve) => setTimeout(resolve, 20));
    },
  };
}
