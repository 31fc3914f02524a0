import { describe, expect, it } from 'vitest';
import { newsOf } from './ends.ts';

const reboot = {
  status: 'completed',
  number: 7,
  command: 'reboot',
  targetSlug: 'host:lab',
  startedAt: new Date(),
  cardEvent: '$card',
  reason: 'host:lab is back after 48 s',
  bootBefore: 'b1',
} as const;

describe('what the room hears of an end beside its card', () => {
  it('is how long a machine was away', () => {
    expect(newsOf(reboot)).toEqual({
      text: 'host:lab is back after 48 s. #7 is done: reboot on host:lab.',
      rings: false,
    });
  });

  it('rings when the machine has not come back', () => {
    const reason = 'host:lab has not come back within 15 min';
    expect(newsOf({ ...reboot, status: 'failed', reason })).toEqual({
      text: 'host:lab has not come back within 15 min. #7 has failed: reboot on host:lab.',
      rings: true,
    });
  });

  it('is nothing for an end that its card shows', () => {
    expect(newsOf({ ...reboot, bootBefore: null, reason: null })).toBeUndefined();
  });
});
