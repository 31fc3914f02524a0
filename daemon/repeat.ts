export interface Repeating {
  /** No further round; waits for the one in hand. */
  stop(): Promise<void>;
}

/** Runs `work` again and again, never twice at once; an error is reported and does not end it. */
export function repeat(
  everyMs: number,
  work: () => Promise<unknown>,
  onError: (error: unknown) => void,
): Repeating {
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;
  let round: Promise<void> = Promise.resolve();
  const next = () => {
    if (stopped) return;
    timer = setTimeout(() => {
      round = work().then(next, (error: unknown) => {
        onError(error);
        next();
      }) as Promise<void>;
    }, everyMs);
  };
  next();
  return {
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await round;
    },
  };
}
