import { describe, expect, it } from 'vitest';
import { asked, continuation, replyTo, rule, toolAnswered, userSays } from './scenario.ts';
import { viewOf, type WireMessage } from './view.ts';

const words: WireMessage = { role: 'user', content: 'restart nginx' };
const call: WireMessage = {
  role: 'assistant',
  tool_calls: [{ id: 'a', function: { name: 'run', arguments: '{}' } }],
};
const answer: WireMessage = { role: 'tool', tool_call_id: 'a', content: '#3 waits' };
const note: WireMessage = { role: 'user', content: '[oikos] #3 completed, exit 0' };

const at = (...messages: WireMessage[]) => viewOf({ model: 'm', messages });

describe('the conditions of a rule', () => {
  it.each([
    ['userSays', userSays(/nginx/), [true, false, false]],
    ['asked', asked(/nginx/), [true, true, true]],
    ['toolAnswered', toolAnswered('run', /waits/), [false, true, false]],
    ['continuation', continuation(/#3 completed/), [false, false, true]],
  ] as const)('%s looks at the right moment', (_name, when, fits) => {
    const moments = [at(words), at(words, call, answer), at(words, call, answer, note)];
    expect(moments.map((view) => when(view) !== undefined)).toEqual(fits);
  });
});

describe('a scenario', () => {
  const scenario = [
    rule({
      name: 'one',
      when: userSays(/(\w+) nginx/),
      reply: (_v, [, verb]) => ({ text: verb ?? '' }),
    }),
    rule({ name: 'two', when: asked(/./), reply: () => ({ text: 'later' }) }),
  ];

  it('is answered by its first rule that fits', () => {
    expect(replyTo(scenario, at(words))).toEqual({ rule: 'one', reply: { text: 'restart' } });
    expect(replyTo(scenario, at(words, call, answer)).rule).toBe('two');
  });

  it('says so when no rule fits', () => {
    expect(replyTo([], at(words))).toMatchObject({ rule: 'none' });
  });
});
