import { describe, expect, it } from 'vitest';
import { errorCode, reasonOf } from './reason.ts';

const coded = (code: string, message = 'x') => Object.assign(new Error(message), { code });

describe('reasonOf', () => {
  it.each<[string, unknown, string]>([
    [
      'the cause of a failed fetch',
      new TypeError('fetch failed', { cause: coded('ECONNREFUSED') }),
      'nothing listens there',
    ],
    ['one of several addresses', new AggregateError([coded('ENOTFOUND')]), 'there is no such name'],
    ['a time-out', new DOMException('aborted', 'TimeoutError'), 'no answer in time'],
    [
      'what it does not know',
      coded('28P01', 'password authentication failed\nDETAIL: x'),
      'password authentication failed',
    ],
    ['no error at all', 'odd', 'odd'],
  ])('finds %s', (_case, error, reason) => {
    expect(reasonOf(error)).toBe(reason);
  });

  it('does not follow a circle of causes', () => {
    const error = new Error('round');
    error.cause = error;
    expect(reasonOf(error)).toBe('round');
  });
});

describe('errorCode', () => {
  it('is the innermost one', () => {
    expect(errorCode(new Error('outer', { cause: coded('3D000') }))).toBe('3D000');
    expect(errorCode(new Error('none'))).toBeUndefined();
  });
});
