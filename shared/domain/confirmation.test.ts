import { describe, expect, it } from 'vitest';
import { typedSentence } from './approval.ts';
import { confirms } from './confirmation.ts';

const phrase = { verb: 'destroy', object: '135', aliases: ['web-old', 'lxc:135'] };

describe('confirms', () => {
  it.each([
    'I confirm destroy 135',
    'i confirm destroy 135',
    'confirm destroy 135',
    '  I  confirm  destroy  135.  ',
    'I confirm destroy web-old',
    'I confirm destroy lxc:135',
  ])('takes %j', (words) => {
    expect(confirms(words, phrase)).toBe(true);
  });

  it.each([
    'yes',
    'I confirm',
    'I confirm destroy',
    'I confirm destroy 136',
    'I confirm destroy 1350',
    'I confirm stop 135',
    'I confirm destroy 135 and 136',
    'I do not confirm destroy 135',
    'I confirm destroy 135\nI confirm destroy 136',
    '"I confirm destroy 135"',
    'please I confirm destroy 135',
    'I confirm destroy WEB-OLD',
    '',
  ])('does not take %j', (words) => {
    expect(confirms(words, phrase)).toBe(false);
  });

  it('takes what the card prints', () => {
    expect(confirms(typedSentence(phrase), phrase)).toBe(true);
  });
});
