export interface Semaphore {
  /** Waits for a place; the answer gives it back, once however often it is called. */
  take(): Promise<() => void>;
}

/** At most `places` holders at once, first come first served. */
export function createSemaphore(places: number): Semaphore {
  let free = places;
  const waiting: (() => void)[] = [];
  const giveBack = () => {
    const next = waiting.shift();
    if (next) next();
    else free += 1;
  };
  return {
    async take() {
      if (free > 0) free -= 1;
      else await new Promise<void>((resolve) => waiting.push(resolve));
      let held = true;
      return () => {
        if (held) giveBack();
        held = false;
      };
    },
  };
}
