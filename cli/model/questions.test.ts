import { describe, expect, it } from 'vitest';
import { NO_USAGE } from '../../bot/agent/reply.ts';
import { contextQuestion, judgeContextReply, judgeToolReply } from './questions.ts';

const call = (args: string, name = 'report_sum') => ({ id: '1', name, args });

describe('judgeToolReply', () => {
  it.each([
    ['a call', { calls: [call('{"a":17,"b":25}')], text: '' }, 'called'],
    ['numbers as text', { calls: [call('{"a":"17","b":"25"}')], text: '' }, 'called'],
    ['other numbers', { calls: [call('{"a":1,"b":2}')], text: '' }, 'wrong_arguments'],
    ['no arguments', { calls: [call('')], text: '' }, 'wrong_arguments'],
    ['another tool', { calls: [call('{}', 'sum')], text: '' }, 'not_called'],
    [
      'a call written as text',
      { calls: [], text: '{"name":"report_sum","arguments":{"a":17,"b":25}}' },
      'as_text',
    ],
    ['an answer in words', { calls: [], text: 'The sum is 42.' }, 'not_called'],
  ])('takes %s for %s', (_case, reply, outcome) => {
    expect(judgeToolReply(reply)).toBe(outcome);
  });
});

describe('the question about the context', () => {
  it('is about 6000 tokens long and begins with the word', () => {
    const { request, estimatedTokens } = contextQuestion('heron');
    expect(request.system.indexOf('heron')).toBeLessThan(40);
    expect(request.system.lastIndexOf('heron')).toBeLessThan(40);
    expect(estimatedTokens).toBeGreaterThan(6_000);
    expect(estimatedTokens).toBeLessThan(6_200);
  });

  const counted = (promptTokens: number) => ({ ...NO_USAGE, promptTokens });
  it.each([
    ['the word', { text: 'Heron.', usage: counted(2_000) }, 'whole'],
    ['another answer after a third of the prompt', { text: 'dry', usage: counted(2_000) }, 'cut'],
    ['another answer after the whole prompt', { text: 'dry', usage: counted(5_500) }, 'forgot'],
    [
      'another answer without figures',
      { text: 'dry', usage: { ...counted(6_000), estimated: true } },
      'cut',
    ],
  ])('takes %s for %s', (_case, reply, outcome) => {
    expect(judgeContextReply(reply, 'heron', 6_000)).toBe(outcome);
  });
});
