import { describe, expect, it } from 'vitest';
import { addresses } from './addressed.ts';

const US = '@nomos:oikos.test';
const pill = (id: string) => ({
  body: 'Nomi, look',
  formattedBody: `<a href="https://matrix.to/#/${id}">Nomi</a>, look`,
});

describe('what addresses us among several people', () => {
  it.each([
    ['a mention of the client', { body: 'look at this', mentions: [US] }],
    ['a pill', pill(US)],
    ['a pill with an escaped id', pill(encodeURIComponent(US))],
    ['our id', { body: `${US} look` }],
    ['our name first', { body: 'Nomos, restart nginx' }],
    ['our name last', { body: 'how full are the disks, nomos?' }],
    ['the name of the house', { body: 'oikos: status of web' }],
    ['an at sign', { body: '@nomos look' }],
  ])('%s', (_name, text) => {
    expect(addresses(text, US)).toBe(true);
  });

  it.each([
    ['talk', { body: 'did you see the game' }],
    ['a part of a word', { body: 'economics and oikosystems, nomosx' }],
    ['somebody else', { body: 'Anna, look', mentions: ['@anna:oikos.test'] }],
    ['a pill of somebody else', pill('@anna:oikos.test')],
    ['everybody', { body: '@room lunch?', mentions: [] }],
  ])('not %s', (_name, text) => {
    expect(addresses(text, US)).toBe(false);
  });
});
