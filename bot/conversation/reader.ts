import { readNow } from '../../shared/db/clock.ts';
import { type InboxRow, markHandled, newEvents } from '../../shared/db/inbox.ts';
import { type Router, routeEvent } from './route.ts';
import { say } from './speak.ts';

const POLL_MS = 2_000;
/** Tries for one event before it is set aside, so that it does not block the room for ever. */
const MAX_TRIES = 5;

export interface Reader {
  wake(): void;
  idle(): boolean;
  close(): Promise<void>;
}

/** Handles inbox rows one after another in sync order; an event is handled at least once. */
export function startReader(given: Omit<Router, 'tooSlow'>): Reader {
  const deps: Router = { ...given, tooSlow: new Map() };
  let closing = false;
  let pending = 0;
  let work: Promise<void> = Promise.resolve();
  const tries = new Map<number, number>();

  const drain = async () => {
    while (!closing) {
      const rows = await newEvents(deps.db);
      if (rows.length === 0 || !(await handleAll(rows))) return;
    }
  };
  /** One event that cannot be handled holds up its own room only; false when nothing moved. */
  const handleAll = async (rows: readonly InboxRow[]): Promise<boolean> => {
    const held = new Set<string>();
    for (const row of rows) {
      if (closing) return false;
      if (!held.has(row.roomId) && !(await handle(row))) held.add(row.roomId);
    }
    return rows.some(({ roomId }) => !held.has(roomId));
  };
  const handle = async (row: InboxRow): Promise<boolean> => {
    try {
      await routeEvent(deps, row);
      tries.delete(row.seq);
      return true;
    } catch (error) {
      const count = (tries.get(row.seq) ?? 0) + 1;
      tries.set(row.seq, count);
      deps.log.error({ eventId: row.eventId, tries: count, err: error }, 'event not handled');
      if (count < MAX_TRIES) return false;
      await setAside(row);
      return true;
    }
  };
  const setAside = async (row: InboxRow) => {
    await deps.db.transaction(async (tx) => {
      await say(tx, {
        roomId: row.roomId,
        taskId: null,
        text: 'I could not handle one of the last messages because of an error on my side. If it was a yes, its card shows whether it counted; otherwise please say it again.',
        now: await readNow(tx),
      });
      await markHandled(tx, row.seq);
    });
    tries.delete(row.seq);
  };
  const wake = () => {
    pending += 1;
    work = work
      .then(drain)
      .catch((error: unknown) => {
        deps.log.warn({ err: error }, 'the inbox could not be read; trying again');
      })
      .finally(() => {
        pending -= 1;
      });
  };
  const timer = setInterval(() => {
    if (pending === 0) wake();
  }, POLL_MS);
  wake();
  return {
    wake,
    idle: () => pending === 0,
    async close() {
      closing = true;
      clearInterval(timer);
      await work;
    },
  };
}
