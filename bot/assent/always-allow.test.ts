import { describe, expect, it } from 'vitest';
import { type AlwaysAllow, readAlwaysAllow } from './always-allow.ts';
import { assess } from './assent.ts';

describe('readAlwaysAllow', () => {
  it.each<[string, AlwaysAllow]>([
    ['always allow #4', { is: 'card', number: 4, dailyCap: 6 }],
    ['Always allow #4.', { is: 'card', number: 4, dailyCap: 6 }],
    ['nomos, always allow #4', { is: 'card', number: 4, dailyCap: 6 }],
    ['always allow #7, 3 a day', { is: 'card', number: 7, dailyCap: 3 }],
    ['always allow #7 3 times per day', { is: 'card', number: 7, dailyCap: 3 }],
    ['always allow', { is: 'reply', dailyCap: 6 }],
    ['always allow this, 2 a day', { is: 'reply', dailyCap: 2 }],
    ['always allow 2 a day', { is: 'reply', dailyCap: 2 }],
    [
      'always allow restart jellyfin on lxc:media, 3 a day',
      { is: 'command', command: 'systemctl restart jellyfin', target: 'lxc:media', dailyCap: 3 },
    ],
    [
      'always allow Restart Jellyfin on media',
      { is: 'command', command: 'systemctl restart Jellyfin', target: 'media', dailyCap: 6 },
    ],
    [
      'always allow docker restart web on lxc:media, at most 24 a day',
      { is: 'command', command: 'docker restart web', target: 'lxc:media', dailyCap: 24 },
    ],
    ['I confirm rule R1', { is: 'confirm', number: 1 }],
    ['confirm rule r12.', { is: 'confirm', number: 12 }],
  ])('reads %j', (said, wish) => {
    expect(readAlwaysAllow(said)).toEqual(wish);
  });

  it.each([
    'yes',
    'yes, always allow #4',
    'do not always allow #4',
    'never always allow #4',
    'can you always allow #4?',
    'always allow #4?',
    'always allowing it is fine',
    'always allow-list it',
    'I always allow that',
    'I do not confirm rule R1',
    'I confirm rule R1 and R2',
    'I confirm rule 1',
    'I confirm the rule R1',
    'I confirm destroy 135',
  ])('leaves %j to others', (said) => {
    expect(readAlwaysAllow(said)).toEqual({ is: 'other' });
  });

  it.each([
    ['always allow 4', /a card/],
    ['always allow #4 and #5', /a card/],
    ['always allow everything', /a card/],
    ['always allow #4 please', /a card/],
    ['always allow #4, 0 a day', /from 1 to 24/],
    ['always allow #4, 25 a day', /from 1 to 24/],
    ['always allow restart jellyfin on lxc:media when its check is down', /no condition/],
    ['always allow restart jellyfin when its check is down, 3 a day', /no condition/],
    ['always allow restart jellyfin when its check is down on lxc:media', /no condition/],
    ['always allow restart jellyfin on lxc:media only at night, 3 a day', /no condition/],
    ['always allow restart jellyfin on lxc:media, lxc:web', /a card/],
    ['always allow #4\nalways allow #5', /one line/],
    ['always allow `systemctl restart x` on lxc:media', /code/],
    ['always allow “restart x” on lxc:media', /quotation/],
    ['always allow restart jellyf\u200bin on lxc:media', /hidden/],
  ])('makes nothing of %j and says why', (said, why) => {
    expect(readAlwaysAllow(said)).toEqual({ is: 'unclear', why: expect.stringMatching(why) });
  });

  it('makes nothing of words that are struck out in the formatted text', () => {
    expect(readAlwaysAllow('always allow #4', '<del>always allow #4</del>').is).toBe('unclear');
  });
});

describe('assent', () => {
  it.each([
    'always allow #4',
    'always allow',
    'always allow #4, 3 a day',
    'yes, always allow #4',
    'always allow restart nginx on lxc:web, 3 a day',
    'I confirm rule R4',
  ])('takes %j for no yes to a card', (body) => {
    const card = {
      id: 'a',
      number: 4,
      risk: 'reversible_low',
      phrase: null,
      bound: true,
      last: true,
    } as const;
    for (const kind of ['text', 'reply_to_card'] as const) {
      const said = { kind, body, fromOperator: true, afterCard: true, onCard: 4 };
      expect(assess(said, [card])).toMatchObject({ approve: [], deny: [] });
    }
  });
});
