import { describe, expect, it } from 'vitest';
import { asksSomething } from './question.ts';

describe('what asks the operator something', () => {
  it.each([
    ['Use port 8080?', true],
    ['Use port 8080? I would say so.', true],
    ['Shall I ("really")? *Yes or no?*', true],
    ['要重启吗？', true],
    ['Done.', false],
    ['`ls file?.txt` is done.', false],
    ['```\ncurl http://x/?a=1\nwhat?\n```\nDone.', false],
    ['See https://example.org/?q=1 for more.', false],
    ['> is it up?\nIt is.', false],
  ])('%j: %s', (text, asks) => {
    expect(asksSomething(text)).toBe(asks);
  });
});
