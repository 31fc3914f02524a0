import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canBeWrapped, disguise } from '../../bench/gate-hostile-mutate.ts';
import { corpus } from '../../bench/gate-sandbox.ts';
import { classify } from '../../shared/gate/classify.ts';
import { BASH_FACTS } from '../../shared/gate/facts.ts';

const CASES = 50_000;

const isLook = (command: string): boolean =>
  classify({ command, facts: BASH_FACTS }).risk === 'read_only';

/** Hands out the numbers drawn, then only 0: a shrunk case has fewer changes. */
function chanceFrom(drawn: readonly number[]): () => number {
  let at = 0;
  return () => (drawn[at++] ?? 0) / 10_000;
}

describe('hostile lines in disguise', () => {
  it(`are never called read_only (${CASES} cases)`, () => {
    const lines = corpus('hostile').filter((line) => !line.includes('⟦') && canBeWrapped(line));
    expect(lines.length).toBeGreaterThan(1000);
    const drawn = fc.array(fc.nat(9_999), { minLength: 20, maxLength: 60, size: 'max' });
    fc.assert(
      fc.property(fc.constantFrom(...lines), drawn, (line, numbers) => {
        const command = disguise(line, chanceFrom(numbers));
        if (isLook(command)) expect.fail(`${JSON.stringify(line)} as ${JSON.stringify(command)}`);
      }),
      { numRuns: CASES },
    );
  }, 240_000);
});
