import { describe, expect, it } from 'vitest';
import { checkLine, fails, note, ok, somethingFails } from './check.ts';

describe('checkLine', () => {
  it.each([
    [ok('bash'), '✓ bash'],
    [note('in no room'), '· in no room'],
    [fails('no pct', 'install it'), '✗ no pct: install it'],
  ])('says %o as %j', (check, line) => {
    expect(checkLine(check)).toBe(line);
  });

  it('shows what a server hides instead of obeying it', () => {
    expect(checkLine(ok('room \u001b[2Jx\nforged'))).toBe('✓ room \\u{1b}[2Jx\\u{a}forged');
  });
});

describe('somethingFails', () => {
  it('counts failures, not notes', () => {
    expect(somethingFails([ok('a'), note('b')])).toBe(false);
    expect(somethingFails([ok('a'), fails('b')])).toBe(true);
  });
});
