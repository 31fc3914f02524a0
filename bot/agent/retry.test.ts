import { describe, expect, it } from 'vitest';
import { LlmError } from './llm-error.ts';
import { withRetry } from './retry.ts';

async function retried(errors: readonly LlmError[], attempts = 4) {
  const waits: number[] = [];
  let tries = 0;
  const result = await withRetry(
    async () => {
      const error = errors[tries];
      tries += 1;
      if (error) throw error;
      return 'answer';
    },
    {
      attempts,
      maxWaitMs: 60_000,
      random: () => 1,
      sleep: async (ms) => void waits.push(ms),
    },
  ).catch((error: unknown) => error);
  return { result, tries, waits };
}

const server = new LlmError('server', '503');

describe('trying a model call again', () => {
  it('waits longer each time', async () => {
    expect(await retried([server, server, server])).toEqual({
      result: 'answer',
      tries: 4,
      waits: [1000, 2000, 4000],
    });
  });

  it('gives up after the last attempt', async () => {
    expect(await retried(Array(9).fill(server))).toMatchObject({ result: server, tries: 4 });
  });

  it('waits as long as the provider asks', async () => {
    const limited = new LlmError('rate_limit', '429', { retryAfterMs: 7000 });
    expect(await retried([limited])).toMatchObject({ result: 'answer', waits: [7000] });
  });

  it.each([
    ['a wait longer than a minute', new LlmError('rate_limit', '429', { retryAfterMs: 61_000 })],
    ['an empty account', new LlmError('quota', '429')],
    ['a wrong key', new LlmError('auth', '401')],
  ])('does not try again after %s', async (_why, error) => {
    expect(await retried([error])).toEqual({ result: error, tries: 1, waits: [] });
  });
});
