import { describe, expect, it } from 'vitest';
import { type Attempt, readRetryAfter, retryAfterFailure, retryAfterStatus } from './retry.ts';

const put: Attempt = {
  method: 'PUT',
  path: '/_matrix/client/v3/rooms/r/send/m.room.message/t',
  attempt: 0,
  elapsedMs: 0,
  random: 0.5,
};
const post: Attempt = { ...put, method: 'POST' };
const sync: Attempt = { ...put, method: 'GET', path: '/_matrix/client/v3/sync' };

describe('an answer', () => {
  it.each([
    [
      'a rate limit waits as long as the server says',
      { ...put, status: 429, askedMs: 2_000 },
      { waitMs: 2_050, why: 'rate limited' },
    ],
    [
      'a rate limit is waited out for a POST too',
      { ...post, status: 429, askedMs: 2_000 },
      { waitMs: 2_050, why: 'rate limited' },
    ],
    [
      'a rate limit that names no time waits a second',
      { ...put, status: 429, askedMs: null },
      { waitMs: 1_050, why: 'rate limited' },
    ],
    [
      'a rate limit of an hour is asked again after a minute',
      { ...put, status: 429, askedMs: 3_600_000 },
      { waitMs: 60_050, why: 'rate limited' },
    ],
    [
      'a proxy without its homeserver is asked again',
      { ...put, status: 502, askedMs: null },
      { waitMs: 500, why: 'HTTP 502' },
    ],
    ['a POST is not repeated on a proxy error', { ...post, status: 502, askedMs: null }, null],
    ['a sync is left to its loop', { ...sync, status: 502, askedMs: null }, null],
    [
      'patience ends after two minutes',
      { ...put, status: 429, askedMs: 1, elapsedMs: 120_000 },
      null,
    ],
    ['success is final', { ...put, status: 200, askedMs: null }, null],
    ['a refusal is final', { ...put, status: 403, askedMs: null }, null],
  ])('%s', (_claim, now, expected) => {
    expect(retryAfterStatus(now)).toEqual(expected);
  });
});

describe('a request without an answer', () => {
  const failed = new TypeError('fetch failed', {
    cause: Object.assign(new Error(), { code: 'ECONNRESET' }),
  });
  it.each([
    ['is repeated if that is harmless', put, { waitMs: 500, why: 'ECONNRESET' }],
    [
      'waits longer each time, ten seconds at most',
      { ...put, attempt: 9 },
      { waitMs: 10_000, why: 'ECONNRESET' },
    ],
    ['is not repeated if it might have worked', post, null],
    ['is not repeated for ever', { ...put, elapsedMs: 120_000 }, null],
    ['is left to the loop if it was a sync', sync, null],
  ])('%s', (_claim, now, expected) => {
    expect(retryAfterFailure(now, failed)).toEqual(expected);
  });
});

it.each([
  [{ 'retry-after': '3' }, '', 3_000],
  [{}, '{"errcode":"M_LIMIT_EXCEEDED","retry_after_ms":1234}', 1_234],
  [{ 'retry-after': 'Wed, 21 Oct 2026 07:28:00 GMT' }, '{"retry_after_ms":5}', 5],
  [{}, '<html>', null],
])('reads the wait from %j %j', (headers, body, expected) => {
  expect(readRetryAfter({ headers: { ...headers } as Record<string, string>, body })).toBe(
    expected,
  );
});
