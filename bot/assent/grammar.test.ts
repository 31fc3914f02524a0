import { describe, expect, it } from 'vitest';
import { read } from './grammar.ts';
import { BOT_NAMES, readableText } from './normalize.ts';
import { LEXICONS } from './phrases.ts';

describe('reading a whole message', () => {
  it.each(['yes no', 'no, I mean, yes', 'ok no', 'ja nee', 'oui non', 'sim não', 'approve deny'])(
    '%j says both and is unread (R4)',
    (text) => {
      expect(read(text).is).toBe('unread');
    },
  );

  it.each(['wait, go ahead', 'no wait go', 'yes later', 'ja, morgen', 'sí, luego'])(
    '%j says go and wait, and is unread (R5)',
    (text) => {
      expect(read(text).is).toBe('unread');
    },
  );

  it.each([
    'wait',
    'no, not yet',
    'please hold on',
    'noch nicht',
    'pas encore',
    'más tarde',
    'wacht even',
  ])('%j holds', (text) => {
    expect(read(text)).toEqual({ is: 'hold' });
  });

  it.each(['yeah yeah', 'ok ok', 'ja ja', 'sí sí'])('%j doubles a yes, which is doubt', (text) => {
    expect(read(text).is).toBe('unread');
  });

  it.each(['no problem', 'why not', 'no worries, ok', 'why not go ahead', 'no objections, no'])(
    '%j has no explicit yes behind its idiom',
    (text) => {
      expect(read(text).is).toBe('unread');
    },
  );

  it.each(['run', 'only', 'all', 'and', 'yes and', 'yes to', 'go to 2', 'thanks', 'with 2'])(
    '%j is half a sentence',
    (text) => {
      expect(read(text).is).toBe('unread');
    },
  );

  it('takes a doubled no as a no', () => {
    expect(read('no no no')).toEqual({
      is: 'decision',
      clauses: [{ act: 'deny', scope: { is: 'bare', single: false }, verb: false }],
    });
  });

  it('mixes no two languages, but any with what is common', () => {
    expect(read('ja, go ahead').is).toBe('unread');
    expect(read('ok dale').is).toBe('decision');
    expect(read('ja 👍').is).toBe('decision');
  });
});

describe('readable text', () => {
  it.each([
    ['yes?', 'it asks a question'],
    ['¿sí', 'it asks a question'],
    ['yes...', 'it trails off'],
    ['yes (please)', 'it has unusual characters'],
    ['ýes', 'it has unusual characters'],
    ['go ahead '.repeat(14), 'it is longer than a decision'],
  ])('%j is no decision: %s', (text, why) => {
    expect(readableText(text, BOT_NAMES)).toEqual({ ok: false, why });
  });
});

describe('the phrases', () => {
  it('are written with readable characters, so that each can be said', () => {
    const phrases = LEXICONS.flatMap((lexicon) => [...lexicon.keys()]);
    const unsayable = phrases.filter((phrase) => !readableText(phrase, BOT_NAMES).ok);
    expect(unsayable).toEqual([]);
  });
});
