import { describe, expect, it } from 'vitest';
import { assess, callsOff, type OpenCard } from './assent.ts';
import { looksLikeDecision } from './explain.ts';
import { read } from './grammar.ts';
import { LEXICONS } from './phrases.ts';

const card: OpenCard = {
  id: 'a',
  number: 1,
  risk: 'config_mutation',
  phrase: null,
  bound: true,
  last: true,
};

function label(body: string): string {
  const said = { kind: 'text', body, fromOperator: true, afterCard: true } as const;
  return assess(said, [card]).label;
}

const YES = ['yes', 'go', 'y', 'ok', 'do it', 'approve', '👍', 'ja', 'oui', 'sí', 'sì', 'sim'];
const LEADING = ['!', '! ', '/', '/ ', '-', '- ', ';', '; ', ',', ', ', '.', '. ', ':', '– ', '¡ '];
const DANGLING = [' /', '/', ' -', '-', ' –', '—', ',', ' ,', ';', ' ;', ':', ' ¡', ' +'];

describe('marks around a yes', () => {
  it.each(LEADING)('makes no yes of a word behind %j', (mark) => {
    expect(YES.filter((yes) => label(`${mark}${yes}`) !== 'neither')).toEqual([]);
    expect(
      YES.filter((yes) => label(`please ${mark}${yes}`) === 'assent' && !isInner(mark)),
    ).toEqual([]);
    expect(YES.filter((yes) => label(`oikos ${mark}${yes}`) !== 'neither')).toEqual([]);
  });

  it.each(DANGLING)('makes no yes of a word before %j', (mark) => {
    expect(YES.filter((yes) => label(`${yes}${mark}`) !== 'neither')).toEqual([]);
  });

  it.each([
    '; yes ;',
    '!!yes',
    'yes !go',
    'yes\n- go',
    'yes\n/go',
    'yes,!',
    'yes.go',
    'do it -now',
  ])('decides nothing on %j', (body) => {
    expect(label(body)).toBe('neither');
  });

  it.each([
    'yes!',
    'yes!!',
    'yes.',
    'oui !',
    '👍!',
    '¡sí!',
    '¡dale!',
    'yes, go ahead',
    'yes - go ahead',
    'yes – go ahead',
    'yes; go ahead',
    'yes/go',
    'yes!\ngo ahead',
    'vas-y',
    'yes #1!',
    '1: yes',
    '1 - yes',
  ])('still reads %j', (body) => {
    expect(label(body)).toBe('assent');
  });

  it.each(['!stop', '/stop', '!deny', '/deny'])('lets %j take back', (body) => {
    expect(label(body)).toBe('deny');
    expect(callsOff(body)).toBe(true);
  });

  it.each(['no,', 'no -', '- no', '/no', 'wait,', 'nein,', 'non :', 'nee ;', 'stop,'])(
    'lets %j take back, where a yes would not count',
    (body) => {
      expect(['deny', 'hold']).toContain(label(body));
      expect(callsOff(body)).toBe(true);
    },
  );

  it.each(['!no', '! wait', 'no, yes,', '- no, go ahead', '2: yes, 3: no,'])(
    'takes %j for neither',
    (body) => {
      expect(label(body)).toBe('neither');
    },
  );

  it.each(['!yes', '/yes', '- yes', 'yes 01', 'yes, (please)'])('explains %j', (body) => {
    expect(looksLikeDecision(body)).toBe(true);
  });
});

/** Behind another word these marks are pauses: "please, yes". */
function isInner(mark: string): boolean {
  return [', ', '; ', '- ', '– ', '. ', '! ', '/ '].includes(mark);
}

describe('numbers as printed', () => {
  it.each(['yes #01', 'yes #0001', 'yes 01', 'yes #0', 'approve 01', 'approve 01-2', 'yes ##1'])(
    'finds no card in %j',
    (body) => {
      expect(label(body)).toBe('neither');
    },
  );
});

describe('plain answers', () => {
  it.each([
    'please do it',
    'yes, please do it',
    "I'm ok with that",
    "I'm fine with that",
    'I’m fine with that',
    "let's do that",
    'yess',
    'yesss',
    '👍👍',
    '👍🏽👍🏽',
    'jo',
    'jo mach',
    'leg bitte los',
    'ja, starte',
    'tu peux y aller',
    'oui tu peux',
    'oui tu peux y aller',
    'dale nomás',
  ])('%j is a yes', (body) => {
    expect(label(body)).toBe('assent');
  });

  it.each([
    "no don't do it",
    "no, please don't do it",
    'mach das bitte nicht',
    'nee alsjeblieft niet',
  ])('%j is a no', (body) => {
    expect(label(body)).toBe('deny');
  });
});

describe('cutting a message into phrases', () => {
  const isYes = (text: string): boolean => {
    const reading = read(text);
    return reading.is === 'decision' && reading.clauses.some(({ act }) => act !== 'deny');
  };

  it('never turns a no or a wait into a yes', () => {
    const turned = LEXICONS.flatMap((lexicon) =>
      [...lexicon]
        .filter(([, meaning]) => meaning.is === 'act' && ['deny', 'hold'].includes(meaning.act))
        .map(([phrase]) => phrase)
        .filter((phrase) => [phrase, `ok ${phrase}`, `${phrase} 👍`].some(isYes)),
    );
    expect(turned).toEqual([]);
  });

  it('gives up where there are too many ways', () => {
    expect(read('do it all '.repeat(11).trim()).is).toBe('unread');
  });
});
