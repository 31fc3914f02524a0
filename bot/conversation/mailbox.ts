import { readNow } from '../../shared/db/clock.ts';
import { claimableTurns, claimTurn, runningTurns, type TurnRow } from '../../shared/db/turns.ts';
import { endTurn } from './end-turn.ts';
import { carryOut, TurnAbandoned, type TurnDeps } from './turn.ts';

/** Tasks whose turns run side by side; one turn at a time in each. */
const MAX_PARALLEL_TURNS = 4;
const POLL_MS = 2_000;
const CLOSE_PATIENCE_MS = 4_000;
/** How long a turn rests whose failure could not even be recorded, the first time and at most. */
const FIRST_REST_MS = 1_000;
const LONGEST_REST_MS = 60_000;

export interface Mailbox {
  /** Looks for queued turns now. */
  wake(): void;
  /** Breaks off what the model does in these tasks; their turns end as stopped. */
  interrupt(taskIds: readonly string[]): void;
  /** True when no turn runs. */
  idle(): boolean;
  close(): Promise<void>;
}

/**
 * The mailbox is the table of turns: this only carries them out. Running turns that nobody has in
 * hand, because the process or the database went away under them, are taken up where they were.
 */
export function openMailbox(deps: Omit<TurnDeps, 'closing'>): Mailbox {
  const running = new Map<string, { abort: AbortController; done: Promise<void> }>();
  const rests = createRests();
  let closing = false;
  let looking: Promise<void> = Promise.resolve();
  const turnDeps: TurnDeps = { ...deps, closing: () => closing };

  const start = (turn: TurnRow) => {
    const abort = new AbortController();
    const done = carryOut(turnDeps, turn, abort.signal)
      .then(() => rests.end(turn.id))
      .catch(async (error: unknown) => {
        if (!(await recordFailure(turnDeps, turn, error))) rests.begin(turn.id);
      })
      .finally(() => {
        running.delete(turn.taskId);
        wake();
      });
    running.set(turn.taskId, { abort, done });
  };
  const look = async () => {
    if (closing) return;
    try {
      await resume();
      await claim();
    } catch (error) {
      deps.log.warn({ err: error }, 'turns could not be read; trying again');
    }
  };
  const resume = async () => {
    const turns = await runningTurns(deps.db);
    turns.filter((turn) => !(running.has(turn.taskId) || rests.holds(turn.id))).forEach(start);
  };
  const claim = async () => {
    for (const turn of await claimableTurns(deps.db, MAX_PARALLEL_TURNS)) {
      if (running.size >= MAX_PARALLEL_TURNS || running.has(turn.taskId)) continue;
      if (await claimTurn(deps.db, turn.id, await readNow(deps.db))) start(turn);
    }
  };
  const wake = () => {
    looking = looking.then(look);
  };
  wake();
  const timer = setInterval(wake, POLL_MS);
  return {
    wake,
    interrupt(taskIds) {
      for (const id of taskIds) running.get(id)?.abort.abort();
    },
    idle: () => running.size === 0,
    async close() {
      closing = true;
      clearInterval(timer);
      await looking;
      // Nobody waits for a model that is still thinking: the rows say how to go on.
      for (const { abort } of running.values()) abort.abort();
      const patience = Promise.withResolvers<void>();
      const over = setTimeout(patience.resolve, CLOSE_PATIENCE_MS);
      const ends = Promise.allSettled([...running.values()].map(({ done }) => done));
      await Promise.race([ends, patience.promise]);
      clearTimeout(over);
    },
  };
}

/** Turns that must not be taken up again at once: a doubling pause each. */
function createRests() {
  const resting = new Map<string, { until: number; restMs: number }>();
  return {
    begin(turnId: string) {
      const before = resting.get(turnId)?.restMs ?? FIRST_REST_MS / 2;
      const restMs = Math.min(before * 2, LONGEST_REST_MS);
      resting.set(turnId, { until: performance.now() + restMs, restMs });
    },
    end: (turnId: string) => void resting.delete(turnId),
    holds: (turnId: string) => (resting.get(turnId)?.until ?? 0) > performance.now(),
  };
}

/**
 * An unexpected failure ends in a message in the room and a row, never in silence. Answers false
 * when the row could not be written: the turn is then still running, and taken up again.
 */
async function recordFailure(deps: TurnDeps, turn: TurnRow, error: unknown): Promise<boolean> {
  if (error instanceof TurnAbandoned || deps.closing()) return true;
  deps.log.error({ turnId: turn.id, taskId: turn.taskId, err: error }, 'a turn failed');
  try {
    await endTurn(deps, turn, {
      status: 'failed',
      text: '',
      error: {
        forPeople:
          'Something went wrong on my side while I worked on this; what had been started is on its cards. The log of the bot has the details. Ask again to go on.',
      },
    });
    return true;
  } catch (nested) {
    deps.log.error({ turnId: turn.id, err: nested }, 'a failed turn could not be recorded');
    return false;
  }
}
