import { describe, expect, it } from 'vitest';
import { storableArgs, withUniqueIds } from './messages.ts';

describe('call ids', () => {
  it.each([
    [['a', 'b'], [], ['a', 'b']],
    [['a', 'a'], [], ['a', 'a_2']],
    [['', ''], [], ['call_1', 'call_2']],
    [['call_0'], ['call_0', 'call_0_2'], ['call_0_3']],
  ])('%j among %j become %j', (ids, taken, unique) => {
    const calls = ids.map((id) => ({ id, name: 'run', args: '{}' }));
    expect(withUniqueIds(calls, taken).map(({ id }) => id)).toEqual(unique);
  });
});

describe('arguments that are stored', () => {
  it.each([
    ['{"a": 1}', '{"a":1}'],
    ['', '{}'],
    ['null', '{}'],
    ['{{{', '{"_invalid":"{{{"}'],
    ['[1]', '{"_invalid":"[1]"}'],
    ['"text"', '{"_invalid":"\\"text\\""}'],
  ])('%s becomes %s', (args, stored) => {
    expect(storableArgs(args)).toBe(stored);
  });
});
