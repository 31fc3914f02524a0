import { LogService } from 'matrix-bot-sdk';
import { describe, expect, it } from 'vitest';
import { type MatrixLog, routeSdkLog, withoutTokens } from './logging.ts';

describe('a line of the SDK', () => {
  it.each([
    ['Authorization: Bearer syt_abc_def', 'Authorization: Bearer <redacted>'],
    ['GET /sync?access_token=abc&since=1', 'GET /sync?access_token=<redacted>&since=1'],
    ['{"access_token":"abc","user_id":"@a:b"}', '{"access_token":"<redacted>","user_id":"@a:b"}'],
    ['body {"password":"hunter2"}', 'body {"password":"<redacted>"}'],
    ['token is mct_0123456789_ab, sorry', 'token is <redacted>, sorry'],
    ['GET /rooms/!a:b/messages', 'GET /rooms/!a:b/messages'],
  ])('%j loses its secrets', (line, clean) => {
    expect(withoutTokens(line)).toBe(clean);
  });
});

it('sends the log of the SDK through ours, failed requests as debug', () => {
  const lines: [string, object, string][] = [];
  const record = (level: string) => (fields: object, message: string) =>
    void lines.push([level, fields, message]);
  const log: MatrixLog = {
    debug: record('debug'),
    info: record('info'),
    warn: record('warn'),
    error: record('error'),
  };
  routeSdkLog(log);
  LogService.error('MatrixHttpClient', '(REQ-1)', { errcode: 'M_NOT_FOUND' });
  LogService.warn('MatrixClientLite', new Error('Bearer syt_abcdefg_1'));
  expect(lines).toEqual([
    ['debug', { module: 'MatrixHttpClient' }, '(REQ-1) {"errcode":"M_NOT_FOUND"}'],
    ['warn', { module: 'MatrixClientLite' }, 'Error: Bearer <redacted>'],
  ]);
});
