import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { long, SHAPES } from '../../bench/gate-shapes.ts';
import { RISK_CLASSES } from '../../shared/domain/risk.ts';
import { classify } from '../../shared/gate/classify.ts';
import { BASH_FACTS } from '../../shared/gate/facts.ts';

// npm run bench:gate measures against 50 ms. Here the machine is shared and slow: what grows with the
// square of the command took seconds.
const GENEROUS_MS = 400;
/** The coverage counts each block, which makes the deepest recursion of all many times slower. */
const DEEPEST = { name: 'a long look in very deep substitutions', generousMs: 2_000 };

/** Milliseconds of the processor that a verdict took. */
function timeOf(command: string): number {
  const start = process.threadCpuUsage();
  classify({ command, facts: BASH_FACTS });
  const { user, system } = process.threadCpuUsage(start);
  return (user + system) / 1000;
}

/** Slow every time: once alone is the garbage collector's doing, or that of who else works here. */
function isSlow(command: string, limitMs = GENEROUS_MS): boolean {
  for (let tries = 0; tries < 5; tries += 1) if (timeOf(command) <= limitMs) return false;
  return true;
}

describe('long commands', () => {
  it.each([1_000, 8_000, 64_000])(
    'of %d bytes are judged in time, whatever they repeat',
    (size) => {
      const slow = SHAPES.filter((shape) => {
        const limitMs = shape.name === DEEPEST.name ? DEEPEST.generousMs : GENEROUS_MS;
        return isSlow(long(shape, size), limitMs);
      });
      expect(slow.map(({ name }) => name)).toEqual([]);
    },
    90_000,
  );

  it('longer than 8 KiB are never read_only', () => {
    const looks = SHAPES.filter((shape) => {
      const command = long(shape, 9_000);
      return command.length > 8192 && classify({ command, facts: BASH_FACTS }).risk === 'read_only';
    });
    expect(looks.map(({ name }) => name)).toEqual([]);
  }, 60_000);

  it('stay destructive when what destroys stands behind more than can be judged', () => {
    const command = `${'ls -la /srv/x; '.repeat(3_500)}rm -rf /srv/y`;
    expect(classify({ command, facts: BASH_FACTS }).risk).toBe('destructive');
  });

  it('of random bytes get an answer in time', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 4_096, size: 'max' }), (bytes) => {
        const command = Buffer.from(bytes).toString('latin1');
        expect(RISK_CLASSES).toContain(classify({ command, facts: BASH_FACTS }).risk);
        expect(isSlow(command)).toBe(false);
      }),
      { numRuns: 300 },
    );
  });
});
