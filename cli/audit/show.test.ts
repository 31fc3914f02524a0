import { describe, expect, it } from 'vitest';
import { readSubject } from './show.ts';

describe('what a story is asked of by', () => {
  it.each([
    ['#7', { kind: 'card', number: 7 }],
    ['T3', { kind: 'task', number: 3 }],
    [' t3 ', { kind: 'task', number: 3 }],
    ['0B0F5A40', { kind: 'execution', id: '0b0f5a40' }],
    [
      '0b0f5a40-0000-4000-8000-00000000000a',
      { kind: 'execution', id: '0b0f5a40-0000-4000-8000-00000000000a' },
    ],
  ])('%s', (written, subject) => {
    expect(readSubject(written)).toEqual(subject);
  });

  it('keeps the room for numbers, which are counted per room', () => {
    expect(readSubject('#7', '!r:x')).toEqual({ kind: 'card', number: 7, room: '!r:x' });
  });

  it.each([[''], ['7'], ['#'], ['#7; drop'], ['%'], ['abc'], ['T1234567890']])(
    'not by "%s"',
    (written) => {
      expect(readSubject(written)).toBeUndefined();
    },
  );
});
