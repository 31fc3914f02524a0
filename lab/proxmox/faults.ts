/** Faults that a test or demo switches on in the stand-in. Pure reading; store.ts collects the words. */

export interface Faults {
  /** Somebody else holds the lock file of these guests. */
  readonly lockHeld: ReadonlySet<number>;
  /** How long a tool waits for a held lock; 10 s as in Proxmox unless told otherwise. */
  readonly lockPatienceMs: number;
  /** Extra time that the start of these guests takes. */
  readonly slowStartMs: ReadonlyMap<number, number>;
  readonly startFails: ReadonlySet<number>;
  /** How long a backup takes. */
  readonly taskTakesMs: number;
  /** Added to every call of a tool: the real ones need about 400 ms. */
  readonly toolDelayMs: number;
}

/**
 * Words: `lock-held-101`, `lock-patience=200` (ms), `slow-start-101=5` (seconds), `start-fails-101`,
 * `tool-delay=400` (ms), `task-takes=30` (seconds). They come from LAB_FAULTS or from files of these
 * names whose content is the value.
 */
export function readFaults(words: readonly string[]): Faults {
  const lockHeld = new Set<number>();
  const slowStartMs = new Map<number, number>();
  const startFails = new Set<number>();
  let lockPatienceMs = 10_000;
  let toolDelayMs = 0;
  let taskTakesMs = 200;
  for (const word of words) {
    const [name = '', value = ''] = word.trim().split('=');
    const [, kind = name, id = ''] = /^(.+)-(\d+)$/.exec(name) ?? [];
    if (kind === 'lock-held') lockHeld.add(Number(id));
    if (kind === 'start-fails') startFails.add(Number(id));
    if (kind === 'slow-start') slowStartMs.set(Number(id), Number(value || 5) * 1000);
    if (kind === 'lock-patience') lockPatienceMs = Number(value);
    if (kind === 'task-takes') taskTakesMs = Number(value) * 1000;
    if (kind === 'tool-delay') toolDelayMs = Number(value);
  }
  return { lockHeld, lockPatienceMs, slowStartMs, startFails, taskTakesMs, toolDelayMs };
}
