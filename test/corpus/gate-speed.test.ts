import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { long, SHAPES } from '../../bench/gate-shapes.ts';
import { RISK_CLASSES, type RiskClass } from '../../shared/domain/risk.ts';
import { classify } from '../../shared/gate/classify.ts';
import { BASH_FACTS } from '../../shared/gate/facts.ts';

// How long a verdict takes is measured by npm run bench:gate. Here each must come at all: what hangs
// ends the test by its time limit, which is many times what all shapes take under coverage.
const riskOf = (command: string): RiskClass => classify({ command, facts: BASH_FACTS }).risk;

describe('long commands', () => {
  it.each([1_000, 8_000, 64_000])(
    'of %d bytes get a verdict, whatever they repeat',
    (size) => {
      for (const shape of SHAPES) expect(RISK_CLASSES).toContain(riskOf(long(shape, size)));
    },
    300_000,
  );

  it('longer than 8 KiB are never read_only', () => {
    const looks = SHAPES.filter((shape) => {
      const command = long(shape, 9_000);
      return command.length > 8192 && riskOf(command) === 'read_only';
    });
    expect(looks.map(({ name }) => name)).toEqual([]);
  }, 300_000);

  it('stay destructive when what destroys stands behind more than can be judged', () => {
    expect(riskOf(`${'ls -la /srv/x; '.repeat(3_500)}rm -rf /srv/y`)).toBe('destructive');
  });

  it('of random bytes get a verdict', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 4_096, size: 'max' }), (bytes) => {
        expect(RISK_CLASSES).toContain(riskOf(Buffer.from(bytes).toString('latin1')));
      }),
      { numRuns: 300 },
    );
  }, 300_000);
});
