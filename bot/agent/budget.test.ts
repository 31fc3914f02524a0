import { describe, expect, it } from 'vitest';
import { calibrate, estimateTokens, shouldCompact } from './budget.ts';

describe('the estimate of tokens', () => {
  const perToken = (text: string): number => text.length / estimateTokens(text);

  it.each([
    [
      'prose',
      'The container was restarted and answers again on its usual port. '.repeat(20),
      3.5,
      4.5,
    ],
    ['JSON', '{"vmid":135,"status":"running","cpu":0.02,"mem":123456}'.repeat(20), 1.5, 2.9],
    ['Chinese', '容器已经重新启动'.repeat(20), 1.1, 1.3],
  ])('of %s is near what was measured', (_kind, text, least, most) => {
    expect(perToken(text)).toBeGreaterThan(least);
    expect(perToken(text)).toBeLessThan(most);
  });

  it('follows what a model really counts', () => {
    let factor = 1;
    for (let n = 0; n < 30; n += 1) factor = calibrate(factor, 1000, 1500);
    expect(factor).toBeCloseTo(1.5, 1);
    expect(calibrate(factor, 0, 1500)).toBe(factor);
    expect(calibrate(1, 1, 1_000_000)).toBe(4);
  });

  it('asks for a shorter history at seven tenths of the context', () => {
    expect([shouldCompact(6999, 10_000), shouldCompact(7000, 10_000)]).toEqual([false, true]);
  });
});
