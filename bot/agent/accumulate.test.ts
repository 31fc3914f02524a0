import { describe, expect, it } from 'vitest';
import { createAccumulator } from './accumulate.ts';
import { LlmError, type LlmErrorKind } from './llm-error.ts';
import type { Reply } from './reply.ts';

const delta = (part: object, finish: string | null = null): object => ({
  choices: [{ index: 0, delta: part, finish_reason: finish }],
});
const call = (part: { index?: number; id?: string; name?: string; args?: unknown }): object =>
  delta({
    tool_calls: [
      { index: part.index, id: part.id, function: { name: part.name, arguments: part.args } },
    ],
  });
const done = (reason = 'stop'): object => delta({}, reason);

function replyOf(...chunks: object[]): Reply {
  const accumulator = createAccumulator('m', 'a prompt');
  for (const chunk of chunks) accumulator.add(JSON.parse(JSON.stringify(chunk)));
  return accumulator.finish();
}

function errorOf(...chunks: object[]): LlmError {
  try {
    replyOf(...chunks);
  } catch (error) {
    if (error instanceof LlmError) return error;
  }
  throw new Error('expected an LlmError');
}

describe('calls in a stream', () => {
  it.each([
    [
      'in pieces',
      [call({ index: 0, id: 'a', name: 'run', args: '{"x"' }), call({ index: 0, args: ':1}' })],
      [['a', 'run', '{"x":1}']],
    ],
    [
      'that share an index',
      [
        call({ index: 0, id: 'a', name: 'run', args: '{}' }),
        call({ index: 0, id: 'b', name: 'run', args: '{}' }),
      ],
      [
        ['a', 'run', '{}'],
        ['b', 'run', '{}'],
      ],
    ],
    [
      'without an index',
      [call({ id: 'a', name: 'run', args: '{}' }), call({ id: 'b', name: 'list', args: '{}' })],
      [
        ['a', 'run', '{}'],
        ['b', 'list', '{}'],
      ],
    ],
    [
      'without index and id',
      [call({ name: 'run', args: '{}' }), call({ name: 'run', args: '{"x":1}' })],
      [
        ['call_1', 'run', '{}'],
        ['call_2', 'run', '{"x":1}'],
      ],
    ],
    [
      'without index, id and arguments',
      [call({ name: 'run', args: null }), call({ name: 'list', args: null })],
      [
        ['call_1', 'run', ''],
        ['call_2', 'list', ''],
      ],
    ],
    [
      'with the same id',
      [
        call({ index: 0, id: 'x', name: 'run', args: '{}' }),
        call({ index: 1, id: 'x', name: 'list', args: '{}' }),
      ],
      [
        ['x', 'run', '{}'],
        ['x_2', 'list', '{}'],
      ],
    ],
    [
      'with an object as arguments',
      [call({ index: 0, id: 'a', name: 'run', args: { x: 1 } })],
      [['a', 'run', '{"x":1}']],
    ],
  ])('%s are kept apart and whole', (_how, chunks, calls) => {
    const reply = replyOf(...chunks, done('tool_calls'));
    expect(reply.calls.map(({ id, name, args }) => [id, name, args])).toEqual(calls);
  });

  it('keeps fields of a provider that it wants back', () => {
    const chunk = delta({
      tool_calls: [{ index: 0, id: 'a', function: { name: 'run', arguments: '{}' }, sign: 's' }],
    });
    expect(replyOf(chunk, done()).calls).toEqual([
      { id: 'a', name: 'run', args: '{}', extra: { sign: 's' } },
    ]);
  });
});

describe('a reply', () => {
  it('joins text and reasoning and takes the figures that come last', () => {
    const usage = {
      prompt_tokens: 9,
      completion_tokens: 2,
      prompt_tokens_details: { cached_tokens: 4 },
    };
    expect(
      replyOf(
        delta({ reasoning_content: 'th', reasoning: 'th' }),
        delta({ reasoning_content: 'ink', reasoning: 'ink' }),
        delta({ content: 'a' }),
        delta({ content: 'b' }),
        done(),
        { choices: [], usage },
      ),
    ).toEqual({
      text: 'ab',
      calls: [],
      finish: 'done',
      refusal: '',
      reasoning: { field: 'reasoning_content', text: 'think', details: [], model: 'm' },
      usage: { promptTokens: 9, completionTokens: 2, cachedTokens: 4, estimated: false },
    });
  });

  it('estimates the figures that a provider does not send', () => {
    expect(replyOf(delta({ content: 'hello' }), done()).usage).toMatchObject({ estimated: true });
  });

  it('reads an answer that came as one object', () => {
    expect(replyOf({ choices: [{ message: { content: 'hi' }, finish_reason: 'stop' }] }).text).toBe(
      'hi',
    );
  });
});

describe('a stream that went wrong', () => {
  it.each<[string, LlmErrorKind, boolean, object[]]>([
    ['without a finish reason', 'truncated', true, [delta({ content: 'half' })]],
    ['without any chunk', 'malformed', false, []],
    ['with a filter', 'filtered', false, [delta({ content: 'x' }), done('content_filter')]],
    ['with an unknown finish reason', 'server', true, [done('error')]],
    ['with an error object', 'server', true, [{ error: { code: 502, message: 'gone' } }]],
    ['with an error text', 'server', true, [{ error: 'gone' }]],
    ['with a rate limit inside', 'rate_limit', true, [{ error: { code: '429', message: 'slow' } }]],
    ['with junk', 'malformed', false, [{ choices: 'none' }]],
  ])('%s is %s (retryable: %s)', (_how, kind, retryable, chunks) => {
    expect(errorOf(...chunks)).toMatchObject({ kind, retryable });
  });

  it('is marked when the output limit cut it', () => {
    expect(
      replyOf(call({ index: 0, id: 'a', name: 'run', args: '{"x' }), done('length')).finish,
    ).toBe('length');
  });
});
