import { describe, expect, it } from 'vitest';
import { canMatch, foldPattern } from './globs.ts';

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
    ['/etc/s[[:alpha:]]adow', '/etc/shadow', true],
    ['/etc/s[[=h=]]adow', '/etc/shadow', true],
    ['/etc/s[]h]adow', '/etc/shadow', true],
    ['/etc/s[!]]adow', '/etc/shadow', true],
    ['/etc/s[\\]h]adow', '/etc/shadow', true],
    ['/etc/s[[:odd]]:]h]adow', '/etc/shadow', true],
    ['/etc/s[h/]adow', '/etc/shadow', false],
    ['/etc/s[h', '/etc/s[h', true],
  ])('%s can become %s: %s', (pattern, text, answer) => {
    expect(canMatch(pattern, text)).toBe(answer);
  });

  it('assumes the worst of a pattern too wild to try', () => {
    expect(canMatch('*a'.repeat(20), 'b')).toBe(true);
    expect(canMatch('a'.repeat(1000), 'b')).toBe(true);
  });
});

describe('foldPattern', () => {
  it.each([
    ['/etc/./s*', '/etc/s*'],
    ['/etc//ssl/../s*', '/etc/s*'],
    ['/../../etc/s*', '/etc/s*'],
    ['/etc/*/../s*', undefined],
    ['/etc/.?/s*', undefined],
    ['**/../s*', '**/s*'],
    ['/proc/1/root/etc/s*', '/etc/s*'],
    ['/proc/1/task/2/root/etc/s*', '/etc/s*'],
    ['/proc/self/cwd/s*', '**/s*'],
    ['/proc/*/stat*', '/proc/*/stat*'],
    ['/var/run/../etc/s*', '/etc/s*'],
  ])('%s is %s', (pattern, folded) => {
    expect(foldPattern(pattern)).toBe(folded);
  });
});
