import { describe, expect, it } from 'vitest';
import { asksSomething } from './question.ts';

describe('what asks the operator something', () => {
  it.each([
    ['Use port 8080?', true],
    ['Use port 8080? I would say so.', true],
    ['Shall I ("really")? *Yes or no?*', true],
    ['要重启吗？', true],
    ['Use port 8080', true],
    ['I can do either. Should I use port 8080 or 9090', true],
    ['Which port do you want.', true],
    ['Let me know which port to use.', true],
    ['Soll ich Port 8080 nehmen', true],
    ['Dois-je continuer', true],
    ['Port 8080 or 9090: your call.', true],
    ['Nginx is up. Whatever was wrong is gone.', false],
    ['Nothing was done; the useful part is in the log.', false],
    ['It runs as it should.', false],
    ['Done.', false],
    ['`ls file?.txt` is done.', false],
    ['```\ncurl http://x/?a=1\nwhat?\n```\nDone.', false],
    ['See https://example.org/?q=1 for more.', false],
    ['> is it up?\nIt is.', false],
  ])('%j: %s', (text, asks) => {
    expect(asksSomething(text)).toBe(asks);
  });
});
