import { describe, expect, it } from 'vitest';
import { realModel } from './model.ts';

describe('the model of the demo', () => {
  it('is the offline one while the environment names no other', () => {
    expect(realModel({})).toBeUndefined();
    expect(realModel({ OPENAI_BASE_URL: '', OPENAI_API_KEY: '' })).toBeUndefined();
    // A model's name alone says nothing of where it is.
    expect(realModel({ OPENAI_MODEL: 'm' })).toBeUndefined();
  });

  it.each([
    [
      'a key alone',
      { OPENAI_API_KEY: 'k' },
      { url: 'https://api.openai.com/v1', name: 'gpt-5.1', apiKey: 'k' },
    ],
    [
      'a local server without a key',
      { OPENAI_BASE_URL: 'http://127.0.0.1:1/v1', OPENAI_MODEL: 'm' },
      { url: 'http://127.0.0.1:1/v1', name: 'm', apiKey: '' },
    ],
  ])('is a real one with %s', (_claim, env, wanted) => {
    expect(realModel(env)).toEqual({ kind: 'real', ...wanted });
  });
});
