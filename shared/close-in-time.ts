import type { Log } from './log.ts';

const PATIENCE_MS = 3_000;

/**
 * A closing step that cannot hold up the ones after it: when it takes longer than `patienceMs` it
 * is named in the log and left behind. The process ends soon after, and with it whatever hung.
 */
export function closeInTime(
  name: string,
  close: () => unknown,
  log: Pick<Log, 'warn'>,
  patienceMs = PATIENCE_MS,
): () => Promise<void> {
  return async () => {
    let over: NodeJS.Timeout | undefined;
    const patience = new Promise<'late'>((resolve) => {
      over = setTimeout(resolve, patienceMs, 'late');
    });
    try {
      const ended = await Promise.race([patience, close()]);
      if (ended === 'late') log.warn({ step: name, patienceMs }, 'closing it took too long');
    } finally {
      clearTimeout(over);
    }
  };
}
