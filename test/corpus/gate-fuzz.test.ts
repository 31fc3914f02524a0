import { describe, expect, it } from 'vitest';
import { fuzz } from '../../bench/gate-fuzz.ts';
import { whyNoSandbox } from '../../bench/gate-sandbox.ts';

// Real bash in an empty root without network: only root can make one.
describe.skipIf(whyNoSandbox() !== undefined)('mutated everyday lines under real bash', () => {
  it('run nothing forbidden and write no file when they are called read_only', async () => {
    const outcome = await fuzz({ lines: 4_000, seed: 20_26 });
    expect(outcome).toMatchObject({ ran: 4_000, violations: [] });
  }, 480_000);

  it('are caught when the gate is blind', async () => {
    const outcome = await fuzz({
      lines: 60,
      seed: 7,
      judge: (line) => !/rm|reboot|halt/.test(line),
    });
    expect(outcome.violations.length).toBeGreaterThan(3);
  }, 180_000);
});
