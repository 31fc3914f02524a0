import { describe, expect, it } from 'vitest';
import { commandSummary, commandText, needsNumber } from './command-text.ts';

describe('commandText', () => {
  it.each([
    ['one line as it is', 'df -h /srv', 'df -h /srv'],
    ['runs of spaces as a count', `ls${' '.repeat(120)}; rm x`, 'ls⟨120 spaces⟩; rm x'],
    ['two spaces as they are', 'a  b', 'a  b'],
    ['tabs', 'a\t\tb', 'a⟨2 tabs⟩b'],
    ['a look-alike letter', 'rm /srv/mеdia', 'rm /srv/mе⟨U+0435⟩dia'],
    ['a bracket that imitates a count', 'a⟨3 spaces⟩b', 'a⟨⟨U+27E8⟩3 spaces⟩⟨U+27E9⟩b'],
    ['a no-break space', 'a\u00a0b', 'a\u00a0⟨U+00A0⟩b'],
    ['an override', 'a\u202eb', 'a\\u{202e}b'],
    ['a carriage return', 'rm x\rls', 'rm x\\u{d}ls'],
    ['a trailing newline', 'ls\n', 'ls'],
    ['lines with numbers', 'set -e\nls', '1  set -e\n2  ls'],
    [
      'blank lines as a count',
      'a\n\n \n\nb\n\nc',
      '1  a\n⟨3 blank lines⟩\n5  b\n⟨1 blank line⟩\n7  c',
    ],
  ])('shows %s', (_name, command, text) => {
    expect(commandText(command)).toEqual({ text, cut: null });
  });

  it('shows 1,500 characters whole and the head of more, with a hash of all', () => {
    expect(commandText('é'.repeat(1_500)).cut).toBeNull();
    expect(commandText('a'.repeat(1_501))).toEqual({
      text: 'a'.repeat(1_000),
      cut: {
        shown: 1_000,
        total: 1_501,
        sha256: 'b41982e08c98fcc1789875b59c7ea78609dc48e4a99bccf4e874731e4ab25b0b',
      },
    });
  });
});

describe('commandSummary', () => {
  it.each([
    ['ls', 'ls'],
    ['\nset -e\nrm x', 'set -e …'],
    ['x'.repeat(80), 'x'.repeat(80)],
    ['x'.repeat(81), `${'x'.repeat(79)}…`],
  ])('%j becomes %j', (command, summary) => {
    expect(commandSummary(command)).toBe(summary);
  });
});

describe('needsNumber', () => {
  it.each([
    ['ls', false],
    ['x'.repeat(4_096), false],
    ['x'.repeat(4_097), true],
    [Array(40).fill('ls').join('\n'), false],
    [Array(41).fill('ls').join('\n'), true],
  ])('case %#', (command, needed) => {
    expect(needsNumber(command)).toBe(needed);
  });
});
