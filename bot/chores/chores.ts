import type { Log } from '../../shared/log.ts';

/** Work that time alone brings about; each is safe to repeat and safe to miss. */
export type Chore = () => Promise<void>;

/** Edits of a live card are no closer together than this (K12). */
const EVERY_MS = 2_000;

export interface Chores {
  close(): Promise<void>;
}

/** Does the chores one after another, round after round; one that fails holds up no other. */
export function startChores(chores: Readonly<Record<string, Chore>>, log: Log): Chores {
  let closing = false;
  let round: Promise<void> = Promise.resolve();
  const doAll = async () => {
    for (const [name, chore] of Object.entries(chores)) {
      if (closing) return;
      try {
        await chore();
      } catch (error) {
        log.warn({ chore: name, err: error }, 'a chore failed; it is tried again');
      }
    }
  };
  let busy = false;
  const timer = setInterval(() => {
    if (busy) return;
    busy = true;
    round = doAll().finally(() => {
      busy = false;
    });
  }, EVERY_MS);
  return {
    async close() {
      closing = true;
      clearInterval(timer);
      await round;
    },
  };
}
