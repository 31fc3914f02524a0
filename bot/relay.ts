import type { OutboxRow } from '../shared/db/outbox.ts';
import { markFailed, markTold, untoldRows } from './relay-rows.ts';
import { tell } from './tell.ts';
import type { TellDeps } from './telling/deps.ts';

const POLL_MS = 2_000;
const BATCH = 200;
/** Tries for a row that fails for a reason of our own, such as one that cannot be rendered. */
const MAX_OWN_FAULTS = 4;
/** What is being sent when the process ends is sent again at the next start, and shows once. */
const CLOSE_PATIENCE_MS = 3_000;

export const TELL_TROUBLES = ['refused', 'unreachable', 'own'] as const;
/**
 * Why something could not be told: the room refuses it for good, nobody answers (which ends one
 * day, so it is never given up), or the fault is ours.
 */
export type TellTrouble = (typeof TELL_TROUBLES)[number];

export interface RelayDeps extends TellDeps {
  readonly troubleOf: (error: unknown) => TellTrouble;
}

export interface Relay {
  wake(): void;
  idle(): boolean;
  close(): Promise<void>;
}

/**
 * The outbox's only consumer: tells rooms and calls the agent again. Rows of one room are told in
 * order; no room waits for another. Telling twice shows once, because each send carries the row's
 * id as its transaction id.
 */
export function startRelay(deps: RelayDeps): Relay {
  let closing = false;
  let looking = false;
  let again = false;
  const telling = new Map<string, Promise<void>>();
  const pausedUntil = new Map<string, number>();

  const look = async () => {
    const rows = await untoldRows(deps.db, BATCH, [...telling.keys(), ...pausedRooms()]);
    for (const [roomId, own] of Map.groupBy(rows, (row) => row.roomId)) {
      const done = tellRoom(roomId, own).finally(() => {
        telling.delete(roomId);
        void run();
      });
      telling.set(roomId, done);
    }
  };
  const pausedRooms = (): string[] => {
    const now = performance.now();
    for (const [roomId, until] of pausedUntil) if (until <= now) pausedUntil.delete(roomId);
    return [...pausedUntil.keys()];
  };
  const tellRoom = async (roomId: string, rows: readonly OutboxRow[]): Promise<void> => {
    for (const row of rows) {
      if (closing || !(await tellOne(row))) return;
    }
    pausedUntil.delete(roomId);
  };
  /** Whether the room's next row may be told. */
  const tellOne = async (row: OutboxRow): Promise<boolean> => {
    try {
      await tell(deps, row);
      await markTold(deps.db, row.seq);
      return true;
    } catch (error) {
      const trouble = deps.troubleOf(error);
      const over =
        trouble === 'refused' || (trouble === 'own' && row.attempts + 1 >= MAX_OWN_FAULTS);
      const { seq, type, roomId } = row;
      deps.log.warn({ outbox: seq, type, roomId, trouble, over, err: error }, 'not told');
      if (!over) pause(roomId, row.attempts);
      return (await noteFailure(row, error, over)) && over;
    }
  };
  const noteFailure = async (row: OutboxRow, error: unknown, over: boolean): Promise<boolean> => {
    try {
      await markFailed(deps.db, row, String(error), over);
      return true;
    } catch (nested) {
      pause(row.roomId, row.attempts);
      deps.log.warn({ outbox: row.seq, err: nested }, 'a failure could not be noted');
      return false;
    }
  };
  const pause = (roomId: string, attempts: number) => {
    pausedUntil.set(roomId, performance.now() + Math.min(500 * 2 ** attempts, 60_000));
  };
  const run = async () => {
    again = true;
    if (looking || closing) return;
    looking = true;
    try {
      while (again && !closing) {
        again = false;
        await look();
      }
    } catch (error) {
      again = false;
      deps.log.warn({ err: error }, 'the outbox could not be read; trying again');
    } finally {
      looking = false;
    }
  };
  const timer = setInterval(() => void run(), POLL_MS);
  void run();
  return {
    wake: () => void run(),
    idle: () => !(looking || again) && telling.size === 0,
    async close() {
      closing = true;
      clearInterval(timer);
      const patience = Promise.withResolvers<void>();
      const over = setTimeout(patience.resolve, CLOSE_PATIENCE_MS);
      await Promise.race([Promise.allSettled(telling.values()), patience.promise]);
      clearTimeout(over);
    },
  };
}
