export interface PersistDeps {
  /** Rejects when the database does not answer at all. */
  readonly ask: () => Promise<unknown>;
  /** True when there is no time to wait any longer. */
  readonly gaveUp: () => boolean;
  readonly onError: (error: unknown) => void;
  readonly pause: (ms: number) => Promise<unknown>;
}

const TRIES = 12;
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 5_000;

/**
 * Stores what must not be lost. A database that is away is waited for without end; one that answers
 * and refuses all the same is asked a few times. Undefined: it could not be stored.
 */
export async function persist<T>(
  deps: PersistDeps,
  work: () => Promise<T>,
): Promise<T | undefined> {
  for (let refusals = 0, pauseMs = FIRST_PAUSE_MS; refusals < TRIES; ) {
    try {
      return await work();
    } catch (error) {
      deps.onError(error);
    }
    if (deps.gaveUp()) return undefined;
    if (await answers(deps.ask)) refusals += 1;
    await deps.pause(pauseMs);
    pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
  }
  return undefined;
}

function answers(ask: () => Promise<unknown>): Promise<boolean> {
  return ask().then(
    () => true,
    () => false,
  );
}
