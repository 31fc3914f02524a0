import { readNow } from '../../shared/db/clock.ts';
import { claimableTurns, claimTurn, runningTurns, type TurnRow } from '../../shared/db/turns.ts';
import { endTurn } from './end-turn.ts';
import { carryOut, TurnAbandoned, type TurnDeps } from './turn.ts';

/** Tasks whose turns run side by side; one turn at a time in each. */
const MAX_PARALLEL_TURNS = 4;
const POLL_MS = 2_000;

export interface Mailbox {
  /** Looks for queued turns now. */
  wake(): void;
  /** Breaks off what the model does in these tasks; their turns end as stopped. */
  interrupt(taskIds: readonly string[]): void;
  /** True when no turn runs. */
  idle(): boolean;
  close(): Promise<void>;
}

/** The mailbox is the table of turns: this only carries them out, and resumes them after a crash. */
export function openMailbox(deps: Omit<TurnDeps, 'closing'>): Mailbox {
  const running = new Map<string, { abort: AbortController; done: Promise<void> }>();
  let closing = false;
  let looking: Promise<void> = Promise.resolve();
  const turnDeps: TurnDeps = { ...deps, closing: () => closing };

  const start = (turn: TurnRow) => {
    const abort = new AbortController();
    const done = carryOut(turnDeps, turn, abort.signal)
      .catch((error: unknown) => failed(turnDeps, turn, error))
      .finally(() => {
        running.delete(turn.taskId);
        wake();
      });
    running.set(turn.taskId, { abort, done });
  };
  const look = async () => {
    if (closing) return;
    try {
      for (const turn of await claimableTurns(deps.db, MAX_PARALLEL_TURNS)) {
        if (running.size >= MAX_PARALLEL_TURNS || running.has(turn.taskId)) continue;
        if (await claimTurn(deps.db, turn.id, await readNow(deps.db))) start(turn);
      }
    } catch (error) {
      deps.log.warn({ err: error }, 'turns could not be read; trying again');
    }
  };
  const wake = () => {
    looking = looking.then(look);
  };
  looking = runningTurns(deps.db)
    .then((turns) => turns.forEach(start))
    .catch((error: unknown) => deps.log.error({ err: error }, 'turns could not be resumed'))
    .then(look);
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
      await Promise.race([
        Promise.allSettled([...running.values()].map(({ done }) => done)),
        new Promise((resolve) => setTimeout(resolve, 4_000)),
      ]);
    },
  };
}

/** An unexpected failure ends in a message in the room and a row, never in silence. */
async function failed(deps: TurnDeps, turn: TurnRow, error: unknown): Promise<void> {
  if (error instanceof TurnAbandoned || deps.closing()) return;
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
  } catch (nested) {
    // The database is away: the turn stays running and is resumed at the next start.
    deps.log.error({ turnId: turn.id, err: nested }, 'a failed turn could not be recorded');
  }
}
