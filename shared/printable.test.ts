import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { printable } from './printable.ts';

describe('printable', () => {
  it.each([
    ['a colour sequence', '\u001b[31mred\u001b[0m', '\\u{1b}[31mred\\u{1b}[0m'],
    ['a terminal title', '\u001b]0;owned\u0007', '\\u{1b}]0;owned\\u{7}'],
    ['a C1 control', 'a\u009bb', 'a\\u{9b}b'],
    ['a right-to-left override', 'a\u202eb', 'a\\u{202e}b'],
    ['an isolate', '\u2066x\u2069', '\\u{2066}x\\u{2069}'],
    ['zero width', 'ye\u200bs\ufeff', 'ye\\u{200b}s\\u{feff}'],
    ['a soft hyphen', 'de\u00adstroy', 'de\\u{ad}stroy'],
    ['a tag character', 'x\u{e0041}', 'x\\u{e0041}'],
    ['a variation selector on a letter', 'x\ufe0f', 'x\\u{fe0f}'],
    ['a line separator', 'a\u2028b', 'a\\u{2028}b'],
    ['a lone surrogate', 'a\ud800b', 'a\\u{d800}b'],
    ['a Hangul filler', '\u3164', '\\u{3164}'],
  ])('shows %s', (_name, text, shown) => {
    expect(printable(text, { newlines: true })).toBe(shown);
  });

  it.each(['plain text', 'größer, naïve, 漢字, 👍🏽', '✔\ufe0f', '❤\ufe0f done'])(
    'leaves %s alone',
    (text) => {
      expect(printable(text, { newlines: false })).toBe(text);
    },
  );

  it('keeps newline and tab only when newlines are wanted', () => {
    expect(printable('a\tb\nc', { newlines: true })).toBe('a\tb\nc');
    expect(printable('a\tb\nc', { newlines: false })).toBe('a\\u{9}b\\u{a}c');
    expect(printable('a\r\nb\rc', { newlines: true })).toBe('a\nb\\u{d}c');
  });

  it('never lets a control or format character through', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(printable(text, { newlines: false })).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}]/u);
      }),
    );
  });
});
