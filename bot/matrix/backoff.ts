import { setTimeout as sleep } from 'node:timers/promises';

const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 30_000;

export interface Persistence {
  signal: AbortSignal;
  /** True for failures that no repetition can cure: they are thrown. */
  isHopeless: (error: unknown) => boolean;
  onFailure: (failure: { error: unknown; attempt: number; waitMs: number }) => void;
}

/**
 * Repeats a step until it succeeds, waiting longer each time (a quarter of a second up to half a
 * minute). @throws the signal's reason when stopped, or a hopeless failure.
 */
export async function untilDone<T>(step: () => Promise<T>, options: Persistence): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    options.signal.throwIfAborted();
    try {
      return await step();
    } catch (error) {
      options.signal.throwIfAborted();
      if (options.isHopeless(error)) throw error;
      const waitMs = Math.min(FIRST_WAIT_MS * 2 ** (attempt - 1), LONGEST_WAIT_MS);
      options.onFailure({ error, attempt, waitMs });
      await sleep(waitMs, undefined, { signal: options.signal });
    }
  }
}
