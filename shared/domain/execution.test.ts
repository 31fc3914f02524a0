import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  EXECUTION_EVENTS,
  EXECUTION_STATUSES,
  type ExecutionEvent,
  type ExecutionStatus,
  isDueForContinuation,
  isFinal,
  transition,
} from './execution.ts';

const events = fc.array(fc.constantFrom(...EXECUTION_EVENTS), { maxLength: 12 });

function walk(path: readonly ExecutionEvent[]): ExecutionStatus[] {
  const seen: ExecutionStatus[] = ['proposed'];
  for (const event of path) {
    const next = transition(seen.at(-1) ?? 'proposed', event);
    if (next) seen.push(next);
  }
  return seen;
}

describe('the life of an execution', () => {
  it('runs at most once, whatever is tried', () => {
    fc.assert(
      fc.property(events, (path) => {
        expect(walk(path).filter((status) => status === 'running').length).toBeLessThanOrEqual(1);
      }),
    );
  });

  it('runs only after it was approved', () => {
    fc.assert(
      fc.property(events, (path) => {
        const seen = walk(path);
        const at = seen.indexOf('running');
        if (at >= 0) expect(seen[at - 1]).toBe('approved');
      }),
    );
  });

  it('is approved only from proposed or pending_approval', () => {
    const froms = EXECUTION_STATUSES.filter((from) => transition(from, 'granted') === 'approved');
    expect(froms).toEqual(['proposed', 'pending_approval']);
  });

  it('leaves a final status only on evidence about a lost run', () => {
    for (const from of EXECUTION_STATUSES.filter(isFinal)) {
      const next = EXECUTION_EVENTS.map((event) => transition(from, event)).filter(Boolean);
      expect(next).toEqual(from === 'lost' ? ['completed', 'failed'] : []);
    }
  });

  it('reaches every status', () => {
    const reached = new Set<ExecutionStatus>(['proposed']);
    for (let before = 0; before !== reached.size; ) {
      before = reached.size;
      for (const from of [...reached]) {
        for (const event of EXECUTION_EVENTS) {
          const next = transition(from, event);
          if (next) reached.add(next);
        }
      }
    }
    expect([...reached].toSorted()).toEqual([...EXECUTION_STATUSES].toSorted());
  });

  it('calls the agent again for ends, not for what was withdrawn or expired', () => {
    const due = EXECUTION_STATUSES.filter(isDueForContinuation);
    expect(due).toEqual(['completed', 'failed', 'denied', 'refused', 'lost']);
  });
});
