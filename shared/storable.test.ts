import { describe, expect, it } from 'vitest';
import { storableText, storableValue } from './storable.ts';

describe('text for Postgres', () => {
  it.each([
    ['plain text', 'a 😀 b', 'a 😀 b'],
    ['NUL', 'a\0b', 'a\u{fffd}b'],
    ['half an emoji', '😀'.slice(0, 1), '\u{fffd}'],
    ['the letters of an escape', '\\u0000', '\\u0000'],
  ])('keeps or mends %s', (_name, given, kept) => {
    expect(storableText(given)).toBe(kept);
  });

  it('mends values all the way down, and leaves dates alone', () => {
    const at = new Date(0);
    expect(storableValue({ 'a\0': ['\ud800', { b: 1, at }], c: null })).toEqual({
      'a\u{fffd}': ['\u{fffd}', { b: 1, at }],
      c: null,
    });
  });
});
