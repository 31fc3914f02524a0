import { describe, expect, it } from 'vitest';
import type { OpenCard } from './assessment.ts';
import { assessReaction } from './reaction.ts';

const restart: OpenCard = {
  id: 'a',
  number: 7,
  risk: 'config_mutation',
  phrase: null,
  bound: false,
  last: false,
};
const destroy: OpenCard = {
  ...restart,
  id: 'd',
  risk: 'destructive',
  phrase: { verb: 'destroy', object: '135', aliases: [] },
};

describe('reactions (R12)', () => {
  it.each(['👍', '👍🏽', '👍\ufe0f', '👌', '✅', '✅\ufe0f', '✔\ufe0f', '☑', '🆗'])(
    '%s approves its card',
    (key) => {
      expect(assessReaction(key, restart, true)).toMatchObject({ label: 'assent', approve: ['a'] });
    },
  );

  it.each(['👎', '👎🏿', '❌', '🚫', '🛑'])('%s denies its card, a destructive one too', (key) => {
    expect(assessReaction(key, restart, true)).toMatchObject({ label: 'deny', deny: ['a'] });
    expect(assessReaction(key, destroy, true)).toMatchObject({ label: 'deny', deny: ['d'] });
  });

  it.each(['👀', '🎉', '🧨', '✋', 'yes', '👍 ', '👍👍', '👍x', '\u200b👍', '', '🏽'])(
    '%j decides nothing',
    (key) => {
      expect(assessReaction(key, restart, true)).toMatchObject({ label: 'neither', approve: [] });
    },
  );

  it('never approves a destructive card', () => {
    for (const key of ['👍', '✅', '🧨']) {
      expect(assessReaction(key, destroy, true)).toMatchObject({ label: 'neither', approve: [] });
    }
  });

  it('counts from operators on pending cards only', () => {
    expect(assessReaction('👍', restart, false)).toMatchObject({ label: 'neither' });
    expect(assessReaction('👍', undefined, true)).toMatchObject({ label: 'neither' });
  });
});
