import { describe, expect, it } from 'vitest';
import { durationText } from '../../shared/domain/duration.ts';
import { minutesLeft, timeText } from './time-text.ts';

describe('times on cards', () => {
  it('are absolute and name their zone', () => {
    const at = new Date('2025-11-30T23:05:00Z');
    expect(timeText(at, 'Europe/Berlin')).toBe('00:05, 1 Dec (Europe/Berlin)');
    expect(timeText(at, 'UTC')).toBe('23:05, 30 Nov (UTC)');
  });

  it.each([
    [0, '0.0 s'],
    [3_210, '3.2 s'],
    [9_960, '10 s'],
    [59_700, '1 min 0 s'],
    [185_000, '3 min 5 s'],
    [-5, '0.0 s'],
  ])('%d ms last %s', (ms, text) => {
    expect(durationText(ms)).toBe(text);
  });

  it('count minutes up, and none once passed', () => {
    const now = new Date('2025-11-29T13:00:00Z');
    expect(minutesLeft(new Date('2025-11-29T13:00:01Z'), now)).toBe('1 min');
    expect(minutesLeft(new Date('2025-11-29T12:00:00Z'), now)).toBe('0 min');
  });
});
