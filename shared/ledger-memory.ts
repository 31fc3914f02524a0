import { z } from 'zod';
import { EXECUTION_EVENTS } from './domain/execution.ts';
import type { LedgerEvent } from './ledger.ts';

/** Kinds of events after which an execution never starts (again). */
export const SETTLED: readonly string[] = EXECUTION_EVENTS.filter(
  (event) => !['asked', 'granted'].includes(event),
).map((event) => `execution.${event}`);

/** What the ledger can tell the end of. */
export type Ended = 'execution' | 'window' | 'rule';

/** What a process has heard the ledger tell; taking it out of the database makes it forget nothing. */
export interface LedgerMemory {
  hear(event: LedgerEvent): void;
  tellsEnd(what: Ended, id: string): boolean;
}

/** @param since what ended earlier than this can start nothing by now, and is not kept. */
export function createLedgerMemory(since: Date): LedgerMemory {
  const ends = new Set<string>();
  return {
    hear(event) {
      const id = endIn(event);
      // A rule lives for as long as it is used.
      if (id && (event.at >= since || id.startsWith('rule'))) ends.add(id);
    },
    tellsEnd: (what, id) => ends.has(`${what} ${id}`),
  };
}

/** Somebody may have made something else of it: that ends nothing. */
const fields = z.looseObject({}).catch({});

function endIn({ kind, executionId, data }: LedgerEvent): string | undefined {
  if (SETTLED.includes(kind)) return executionId === null ? undefined : `execution ${executionId}`;
  if (kind === 'window.closed') return `window ${fieldOf(data, 'window')}`;
  if (kind === 'rule.revoked') return `rule ${fieldOf(data, 'rule')}`;
  return undefined;
}

function fieldOf(data: string, name: string): string {
  return String(fields.parse(JSON.parse(data))[name]);
}
