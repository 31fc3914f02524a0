import { CLOCK_TOLERANCE_MS } from './db/clock.ts';

/**
 * By this clock the words are older than the card: somebody brought the two together, or that clock is
 * wrong. They count for nothing, and the card waits on.
 */
export interface TooEarly {
  readonly kind: 'too_early';
  readonly clock: 'server' | 'database';
  readonly behindMs: number;
}

/**
 * Words that were there before their card are no answer to it, however often they are brought.
 * @param movedMs how far a test moved the clock that the card was made by
 */
export function tooEarly(
  said: { readonly heardAt?: Date | undefined; readonly saidAt?: Date | undefined },
  { createdAt }: { readonly createdAt: Date },
  movedMs: number,
): TooEarly | undefined {
  const { heardAt, saidAt } = said;
  const made = createdAt.getTime();
  if (heardAt !== undefined && heardAt < createdAt) {
    return { kind: 'too_early', clock: 'database', behindMs: made - heardAt.getTime() };
  }
  const behindMs = saidAt === undefined ? 0 : made - movedMs - saidAt.getTime();
  return behindMs > CLOCK_TOLERANCE_MS
    ? { kind: 'too_early', clock: 'server', behindMs }
    : undefined;
}
