import { describe, expect, it } from 'vitest';
import { createLogRing } from './log-ring.ts';

describe('the log ring of a child process', () => {
  it('joins a line that arrives in pieces, also in the middle of a character', () => {
    const ring = createLogRing();
    const bytes = Buffer.from('grün\nrest');
    ring.write(bytes.subarray(0, 3));
    ring.write(bytes.subarray(3));
    expect(ring.tail()).toBe('grün\nrest');
  });

  it('keeps only the last lines', () => {
    const ring = createLogRing(2);
    ring.write(Buffer.from('a\nb\nc\n'));
    expect(ring.tail()).toBe('b\nc');
  });

  it('cuts a line without an end, so that a noisy child cannot fill the memory', () => {
    const ring = createLogRing(2, 5);
    ring.write(Buffer.from('x'.repeat(100)));
    expect(ring.tail()).toBe('xxxxx');
  });
});
