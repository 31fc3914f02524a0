import { LlmError } from './llm-error.ts';

export interface RetryOptions {
  /** Tries in all, the first included. */
  readonly attempts: number;
  /** A longer wait is not waited for: the caller tells people instead. */
  readonly maxWaitMs: number;
  sleep(ms: number): Promise<void>;
  /** In [0, 1). */
  random(): number;
  onRetry?: ((error: LlmError, waitMs: number) => void) | undefined;
}

const FIRST_WAIT_MS = 1000;
const LONGEST_OWN_WAIT_MS = 30_000;

/**
 * Tries again after retryable errors: as long as the provider asks, else doubling with jitter.
 * Rejects with the last `LlmError`.
 */
export async function withRetry<T>(attempt: () => Promise<T>, o: RetryOptions): Promise<T> {
  for (let tried = 1; ; tried += 1) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof LlmError) || !error.retryable || tried >= o.attempts) throw error;
      const waitMs = error.retryAfterMs ?? ownWaitMs(tried, o.random());
      if (waitMs > o.maxWaitMs) throw error;
      o.onRetry?.(error, waitMs);
      await o.sleep(waitMs);
    }
  }
}

function ownWaitMs(tried: number, random: number): number {
  const full = Math.min(LONGEST_OWN_WAIT_MS, FIRST_WAIT_MS * 2 ** (tried - 1));
  return Math.round(full * (0.75 + random / 4));
}
