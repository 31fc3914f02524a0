import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  assess,
  callsOff,
  isStop,
  type OpenCard,
  type Said,
  stripReplyFallback,
} from './assent.ts';

const restart: OpenCard = {
  id: 'a',
  number: 1,
  risk: 'config_mutation',
  phrase: null,
  bound: true,
  last: true,
};
const destroy: OpenCard = {
  id: 'd',
  number: 2,
  risk: 'destructive',
  phrase: { verb: 'destroy', object: '135', aliases: ['web-old', 'lxc:135'] },
  bound: true,
  last: true,
};
const second: OpenCard = { ...restart, id: 'b', number: 2 };
const third: OpenCard = { ...restart, id: 'c', number: 3 };

function says(body: string, more: Partial<Said> = {}): Said {
  return { kind: 'text', body, fromOperator: true, afterCard: true, ...more };
}

function outcome(said: Said, ...cards: OpenCard[]) {
  const { label, approve, deny } = assess(said, cards);
  return { label, approve, deny };
}

const NOTHING = { label: 'neither', approve: [], deny: [] };

describe('calling off', () => {
  it.each([
    ['no', true],
    ['wait', true],
    ['not yet', true],
    ['no #2', false],
    ['yes', false],
    ['no, use the other disk', false],
    ['stop using apt', false],
  ])('%j: %s', (body, off) => {
    expect(callsOff(body)).toBe(off);
  });
});

describe('the envelope (R0)', () => {
  it.each<[string, Partial<Said>]>([
    ['somebody who is no operator', { fromOperator: false }],
    ['a yes that crossed the card', { afterCard: false }],
    ['an edit', { kind: 'edit' }],
    ['a redaction', { kind: 'redaction' }],
    ['a notice', { kind: 'notice' }],
    ['an emote', { kind: 'emote' }],
    ['a caption', { kind: 'caption' }],
    ['an undecryptable event', { kind: 'undecryptable' }],
    ['a reply to something else', { kind: 'reply_elsewhere' }],
    ['a reply to a card that is not open', { kind: 'reply_to_card', onCard: 9 }],
  ])('takes no yes from %s', (_name, envelope) => {
    expect(outcome(says('yes', envelope), restart)).toEqual(NOTHING);
  });

  it('lets an edit take back but never give', () => {
    expect(outcome(says('no', { kind: 'edit' }), restart)).toMatchObject({ label: 'deny' });
    expect(outcome(says('wait', { kind: 'edit' }), restart)).toMatchObject({ label: 'hold' });
    expect(outcome(says('I confirm destroy 135', { kind: 'edit' }), destroy)).toEqual(NOTHING);
  });

  it('says so when a yes crossed its card', () => {
    expect(assess(says('yes', { afterCard: false }), [restart])).toEqual({
      ...NOTHING,
      reason: 'it was sent before the card was shown',
      explain: 'That crossed the card on its way: nothing ran; #1 (say yes #1) is still open.',
    });
  });
});

describe('a reply to a card', () => {
  it('speaks about that card alone, also when others wait', () => {
    const old = { ...restart, bound: false, last: false };
    const reply = says('> <@oikos:hs> #1 needs your yes\n\nok', {
      kind: 'reply_to_card',
      onCard: 1,
    });
    expect(outcome(reply, old, second)).toEqual({ label: 'assent', approve: ['a'], deny: [] });
  });

  it('does not approve a card that it does not reply to', () => {
    const reply = says('approve 2', { kind: 'reply_to_card', onCard: 1 });
    expect(outcome(reply, restart, second)).toEqual(NOTHING);
  });

  it('still needs the typed sentence of a destructive card', () => {
    const reply = (body: string) => says(body, { kind: 'reply_to_card', onCard: 2 });
    expect(outcome(reply('yes'), destroy)).toEqual(NOTHING);
    expect(outcome(reply('I confirm destroy 135'), destroy)).toMatchObject({ approve: ['d'] });
  });

  it('keeps quote lines of a message that is no reply', () => {
    expect(outcome(says('> yes\n\nyes'), restart)).toEqual(NOTHING);
    expect(stripReplyFallback('> <@a:b> one\n> two\n\nno\n> not this')).toBe('no\n> not this');
  });
});

describe('clean text (R1)', () => {
  it.each<[string, string, string]>([
    ['struck through', 'yes', '<del>yes</del>'],
    ['a spoiler', 'yes', '<span data-mx-spoiler>yes</span>'],
    ['code', 'yes', '<code>yes</code>'],
    ['other words in HTML', 'yes', '<p>no</p>'],
    ['more words in HTML', 'yes', 'yes <b>later</b>'],
  ])('reads no yes from formatted text that is %s', (_name, body, formattedBody) => {
    expect(outcome(says(body, { formattedBody }), restart)).toEqual(NOTHING);
  });

  it.each<[string, string]>([
    ['**yes**', '<strong>yes</strong>'],
    ['oikos: yes', '<a href="https://matrix.to/#/@oikos:hs.lan">oikos</a>: yes'],
    [
      '[oikos](https://matrix.to/#/@oikos:hs.lan) yes',
      '<a href="https://matrix.to/#/@oikos:hs.lan">oikos</a> yes',
    ],
    ["let's go", '<p>let&#39;s go</p>'],
  ])('reads %s when its HTML says the same', (body, formattedBody) => {
    expect(outcome(says(body, { formattedBody }), restart)).toMatchObject({ label: 'assent' });
  });
});

describe('what a bare yes binds to (R6, R8, R9)', () => {
  it('covers every card of the turn but the destructive one, and names that', () => {
    expect(assess(says('yes'), [restart, destroy])).toEqual({
      label: 'assent',
      approve: ['a'],
      deny: [],
      reason: '"yes" approves #1',
      explain: 'That yes covers #1 only: #2 (type "I confirm destroy 135") is still open.',
    });
  });

  it('approves nothing that was not shown last', () => {
    expect(assess(says('yes'), [{ ...restart, bound: false }])).toEqual({
      ...NOTHING,
      reason: 'no card belongs to the last turn',
      explain:
        'I was not sure which card that answers: nothing ran; #1 (say yes #1) is still open.',
    });
  });

  it('takes a weak word only right below a card, and never beside a destructive one', () => {
    expect(outcome(says('ok'), restart)).toMatchObject({ approve: ['a'] });
    expect(outcome(says('ok'), { ...restart, last: false })).toEqual(NOTHING);
    expect(outcome(says('ok'), restart, destroy)).toEqual(NOTHING);
  });

  it('does not take "that" for several cards', () => {
    expect(outcome(says('run that'), restart)).toMatchObject({ approve: ['a'] });
    expect(outcome(says('run that'), restart, second)).toEqual(NOTHING);
  });

  it('lets a number name a card that was shown before, but not a number alone', () => {
    const old = { ...restart, bound: false, last: false };
    expect(outcome(says('yes #1'), old)).toMatchObject({ approve: ['a'] });
    expect(outcome(says('approve 1'), old)).toMatchObject({ approve: ['a'] });
    expect(outcome(says('just 1'), old)).toEqual(NOTHING);
    expect(outcome(says('yes to 1'), old)).toEqual(NOTHING);
  });
});

describe('numbers (R10)', () => {
  it.each<[string, string[], string[]]>([
    ['approve 1 to 2', ['a', 'b'], []],
    ['yes to 1, 2 and 3', ['a', 'b', 'c'], []],
    ['yes to all but 2', ['a', 'c'], []],
    ['only the second', ['b'], []],
    ['approve 1, deny the rest', ['a'], ['b', 'c']],
    ['1: yes\n2: no\n3: yes', ['a', 'c'], ['b']],
    ['1 yes, 2 no', ['a'], ['b']],
    ['no to all but 2', [], ['a', 'c']],
    ['skip #2', [], ['b']],
  ])('%j', (body, approve, deny) => {
    expect(outcome(says(body), restart, second, third)).toMatchObject({ approve, deny });
  });

  it.each([
    'approve 1 and 9',
    'approve 9, deny 3',
    'approve 1, deny 1',
    'yes to both',
    'no, only 2',
    'approve the first',
    'approve 1 2',
    'approve 3-1',
    'go to 2',
    'do 2',
  ])('decides nothing on %j', (body) => {
    expect(outcome(says(body), restart, second, third)).toEqual(NOTHING);
  });

  it('never names a destructive card by its number', () => {
    for (const body of ['approve 2', 'yes #2', 'only 2', 'approve 1 and 2', 'yes to both']) {
      expect(outcome(says(body), restart, destroy)).toEqual(NOTHING);
    }
    expect(outcome(says('deny 2'), restart, destroy)).toMatchObject({ deny: ['d'] });
  });
});

describe('stop', () => {
  it.each(['stop', 'STOP', 'stop!', '!stop', 'oikos: stop'])('knows %j', (body) => {
    expect(isStop(body)).toBe(true);
    expect(outcome(says(body), { ...restart, bound: false }, destroy)).toMatchObject({
      label: 'deny',
      deny: ['a', 'd'],
    });
  });

  it.each(['stop it', 'stop nginx', 'do not stop', '"stop"', 'stop?'])(
    'does not find it in %j',
    (body) => {
      expect(isStop(body)).toBe(false);
    },
  );
});

describe('explanations', () => {
  it.each(['what does that do', 'show me the logs', 'thanks', 'nice'])(
    'stays silent on ordinary talk like %j',
    (body) => {
      expect(assess(says(body), [restart])).not.toHaveProperty('explain');
    },
  );

  it('tells why an inexact sentence did not confirm', () => {
    expect(assess(says('I confirm destroy 136'), [destroy]).explain).toBe(
      'That is not exactly what the card prints: #2 (type "I confirm destroy 135") is still open.',
    );
  });

  it('names all that waits', () => {
    expect(
      assess(says('yes, but slowly'), [restart, second, { ...destroy, number: 3 }]).explain,
    ).toBe(
      'I read that as talk or a change of plan, not as a plain yes or no: nothing ran; ' +
        '#1 and #2 (say yes #1 or yes #2) and #3 (type "I confirm destroy 135") are still open.',
    );
  });

  it('says which number is which where that is known', () => {
    const cards = [
      { ...restart, what: '`restart nginx` on lxc:web', bound: false },
      { ...second, what: '`apt upgrade` on lxc:dns', bound: false },
    ];
    expect(assess(says('yes'), cards).explain).toBe(
      'I was not sure which card that answers: nothing ran; #1 `restart nginx` on lxc:web and ' +
        '#2 `apt upgrade` on lxc:dns (say yes #1 or yes #2) are still open.',
    );
  });
});

describe('laws', () => {
  const decisions = fc.constantFrom(
    'yes',
    'go ahead',
    'ok',
    'approve 1',
    '👍',
    'ja',
    'sí',
    'vas-y',
    'do it',
  );
  const isYes = (body: string): boolean =>
    ['assent', 'typed_confirm'].includes(assess(says(body), [restart, destroy]).label);

  it('a yes with a character outside the grammar is never a yes', () => {
    const known = /\p{Zs}|\p{M}|\p{Emoji}|[\sA-Za-z0-9À-ÿœŒŸ.,!¡:;'’#/+&@*_–—-]/u;
    const foreign = fc
      .string({ unit: 'binary', minLength: 1, maxLength: 1 })
      .filter((char) => !known.test(char));
    fc.assert(
      fc.property(decisions, foreign, fc.nat(12), (yes, char, at) => {
        expect(isYes(`${yes.slice(0, at)}${char}${yes.slice(at)}`)).toBe(false);
      }),
    );
  });

  it('a yes with a word outside the grammar is never a yes', () => {
    const unknown = fc.string({
      unit: fc.constantFrom(...'bcdfghjqvwxz'),
      minLength: 4,
      maxLength: 10,
    });
    fc.assert(
      fc.property(decisions, unknown, fc.boolean(), (yes, word, before) => {
        expect(isYes(before ? `${word} ${yes}` : `${yes} ${word}`)).toBe(false);
        expect(isYes(before ? `${word}, ${yes}` : `${yes}, ${word}`)).toBe(false);
      }),
    );
  });

  it('no message approves a destructive card but its sentence', () => {
    const words = fc.constantFrom(
      'yes',
      'approve',
      'all',
      '2',
      '#2',
      'only',
      'both',
      'go ahead',
      'confirm',
      'I',
      'destroy',
      '👍',
      'and',
      'to',
    );
    fc.assert(
      fc.property(fc.array(words, { maxLength: 6 }), (said) => {
        const { label, approve } = assess(says(said.join(' ')), [restart, destroy]);
        if (label !== 'typed_confirm') expect(approve).not.toContain('d');
      }),
    );
  });
});
