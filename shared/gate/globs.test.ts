import { describe, expect, it } from 'vitest';
import { canMatch } from './globs.ts';

describe('canMatch', () => {
  it.each([
    ['/etc/sha*', '/etc/shadow', true],
    ['/etc/*', '/etc/ssh/key', false],
    ['/etc/**', '/etc/ssh/key', true],
    ['/e??/[s]hadow', '/etc/shadow', true],
    ['/etc/[!x]hadow', '/etc/shadow', true],
    ['/etc/\\*', '/etc/shadow', false],
    ['/etc/passwd', '/etc/shadow', false],
    ['**', '/etc/shadow', true],
  ])('%s can become %s: %s', (pattern, text, answer) => {
    expect(canMatch(pattern, text)).toBe(answer);
  });

  it('assumes the worst of a pattern too wild to try', () => {
    expect(canMatch('*a'.repeat(20), 'b')).toBe(true);
    expect(canMatch('a'.repeat(1000), 'b')).toBe(true);
  });
});
