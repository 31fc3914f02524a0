import { describe, expect, it } from 'vitest';
import { displayWidth, wrap } from './width.ts';

describe('displayWidth', () => {
  it.each([
    ['plain', 5],
    ['👍', 2],
    ['👍🏽', 2],
    ['👩‍👩‍👧', 2],
    ['日本', 4],
    ['é', 1],
    ['e\u0301', 1],
    ['✓ ▸ ✗ …', 7],
    ['', 0],
  ])('of %s is %i', (text, wanted) => expect(displayWidth(text)).toBe(wanted));
});

describe('wrap', () => {
  it.each([
    ['breaks between words', 'one two three', 7, ['one two', 'three']],
    ['keeps lines', 'a\n\nb', 10, ['a', '', 'b']],
    ['cuts what has no blank', 'abcdefgh', 3, ['abc', 'def', 'gh']],
    ['never cuts an emoji in two', '👍👍👍', 3, ['👍', '👍', '👍']],
    ['keeps the indent of the first line', '  one two', 6, ['  one', 'two']],
  ])('%s', (_claim, text, columns, wanted) => expect(wrap(text, columns)).toEqual(wanted));

  it('never makes a line longer than asked, at any width', () => {
    const text =
      'a card  with `systemctl restart nginx` and 👍 日本語のテキスト verylongwordwithoutanyend';
    for (let columns = 2; columns < 90; columns += 1) {
      for (const line of wrap(text, columns)) {
        expect(displayWidth(line)).toBeLessThanOrEqual(columns);
      }
    }
  });
});
