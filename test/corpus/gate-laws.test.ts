import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canBeWrapped } from '../../bench/gate-hostile-mutate.ts';
import { corpus } from '../../bench/gate-sandbox.ts';
import { isStricter, RISK_CLASSES } from '../../shared/domain/risk.ts';
import { classify } from '../../shared/gate/classify.ts';
import { BASH_FACTS } from '../../shared/gate/facts.ts';

// Only whole lines: behind an open quote nothing is a further command.
const LINES = ['everyday', 'mutating', 'hostile', 'access']
  .flatMap(corpus)
  .filter((line) => !line.includes('⟦') && canBeWrapped(line));

const line = fc.constantFrom(...LINES);
const risk = (command: string) => classify({ command, facts: BASH_FACTS }).risk;

describe('laws over the corpora', () => {
  it('appending a further command never lowers the class', () => {
    const joint = fc.constantFrom('; ', '\n', ' && ', ' || ', ' | ', ' & ');
    fc.assert(
      fc.property(
        line,
        fc.array(fc.tuple(joint, line), { minLength: 1, maxLength: 3 }),
        (first, rest) => {
          const whole = rest.reduce((text, [by, more]) => text + by + more, first);
          if (isStricter(risk(first), risk(whole))) expect.fail(JSON.stringify([first, whole]));
        },
      ),
      { numRuns: 3_000 },
    );
  }, 60_000);

  it('a declared risk never lowers the class, and is reached', () => {
    fc.assert(
      fc.property(line, fc.constantFrom(...RISK_CLASSES), (command, declaredRisk) => {
        const declared = classify({ command, declaredRisk, facts: BASH_FACTS }).risk;
        expect(isStricter(risk(command), declared)).toBe(false);
        expect(isStricter(declaredRisk, declared)).toBe(false);
      }),
      { numRuns: 3_000 },
    );
  }, 60_000);

  it('the same command gets the same verdict, whatever was judged in between', () => {
    fc.assert(
      fc.property(line, line, (command, other) => {
        const before = classify({ command, facts: BASH_FACTS });
        classify({ command: other, facts: BASH_FACTS });
        expect(classify({ command, facts: BASH_FACTS })).toEqual(before);
      }),
      { numRuns: 1_000 },
    );
  }, 60_000);
});
