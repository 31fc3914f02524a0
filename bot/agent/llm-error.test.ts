import { describe, expect, it } from 'vitest';
import { classifyFailure, type FailureFacts, LLM_ERROR_KINDS, LlmError } from './llm-error.ts';

const http = (status: number, message = 'x', code = ''): FailureFacts => ({
  status,
  message,
  code,
  where: 'http',
});

describe('a failed model call', () => {
  it.each([
    [http(401), 'auth', false],
    [http(403), 'auth', false],
    [http(402, 'Insufficient Balance'), 'quota', false],
    [http(429, 'You exceeded your current quota', 'insufficient_quota'), 'quota', false],
    [http(429), 'rate_limit', true],
    [http(529), 'rate_limit', true],
    [http(404), 'model_missing', false],
    [http(400, 'bad schema'), 'bad_request', false],
    [http(400, "This model's maximum context length is 8192 tokens"), 'overflow', false],
    [http(500, 'x', 'exceed_context_size_error'), 'overflow', false],
    [http(413), 'overflow', false],
    [http(500), 'server', true],
    [http(408), 'server', true],
    [{ message: 'ECONNREFUSED', where: 'connection' as const }, 'network', true],
    [{ message: 'gone', where: 'stream' as const }, 'server', true],
    [{ message: 'Unexpected token', where: 'junk' as const }, 'malformed', true],
  ])('%j is %s (retryable: %s)', (facts, kind, retryable) => {
    expect(classifyFailure(facts)).toMatchObject({ kind, retryable });
  });

  it.each(LLM_ERROR_KINDS)('of kind %s is told in one plain sentence', (kind) => {
    const { forPeople } = new LlmError(kind, 'raw provider text');
    expect(forPeople).toMatch(/^The [^\n]*\.$/);
    expect(forPeople).not.toContain('raw provider text');
  });

  it('says how long to wait when the provider said so', () => {
    const error = new LlmError('rate_limit', 'x', { retryAfterMs: 120_000 });
    expect(error.forPeople).toContain('in 120 s');
  });
});
