import { act, actOnOne, type Group, type Lexicon, lexicon } from './lexicon.ts';

/** Every verb with every object: `run it`, `run them`. */
function each(verbs: string, objects: string): string {
  const all = verbs.split(', ').flatMap((verb) => objects.split(', ').map((it) => `${verb} ${it}`));
  return all.join(', ');
}

const DO_VERBS = 'do, run, execute, apply, start';
const YES_VERBS = 'approve, accept';
const NO_VERBS = 'deny, reject, cancel, abort, skip, decline, refuse, stop, veto';
/** With and without "please", because "please do" is a yes of its own. */
const NOT = ["don't", 'dont', 'do not', 'please do not'];
const notTo = (verbs: string): string =>
  verbs
    .split(', ')
    .flatMap((v) => NOT.map((n) => `${n} ${v}`))
    .join(', ');

const YES: readonly Group[] = [
  [
    act('yes', 'answer'),
    'yes, yess, yesss, yep, yup, yeah, yea, yah, ya, yass, aye, y, sure, sure thing, certainly',
  ],
  [
    act('yes'),
    'of course, definitely, absolutely, affirmative, by all means, agreed, yes sir, yessir',
  ],
  [act('yes', 'with'), 'go ahead, go right ahead, proceed'],
  [
    act('yes'),
    'go, go for it, go on then, do so, do it now, just do it, get it done, get on with it',
  ],
  [
    act('yes'),
    "let's go, lets go, let's do it, lets do it, let's do this, lets do this, let's roll",
  ],
  [act('yes'), 'make it so, make it happen, green light, thumbs up, engage, ship it, send it'],
  [act('yes'), 'lgtm, looks good to me, permission granted, granted'],
  [
    act('yes'),
    'you may proceed, you can proceed, you may, you can go ahead, you may go ahead, yes you can, yes you may',
  ],
  [
    act('yes'),
    "go ahead with it, good to go, you're good to go, you are good to go, approval granted, yes to it",
  ],
  [
    act('yes'),
    'please do, please do so, you have my permission, you have my approval, you have my ok',
  ],
  [act('yes', 'verb'), `${YES_VERBS}, approved, accepted, i approve, i accept, i hereby approve`],
  [
    act('yes'),
    "i agree, i am ok with it, i'm ok with it, authorized, authorised, i authorize, i authorise",
  ],
  [
    actOnOne('yes'),
    "i am ok with that, i'm ok with that, yes to that, yes to this, let's do that, lets do that",
  ],
  [act('yes', 'must'), `${DO_VERBS}, go with`],
  [act('yes', 'hash'), 'execute'],
  [
    act('yes'),
    each(
      `${DO_VERBS}, ${YES_VERBS}, i approve, authorize, authorise`,
      'it, them, them all, it all',
    ),
  ],
  [actOnOne('yes'), each(`${DO_VERBS}, ${YES_VERBS}, i approve, go with`, 'this, that')],
  [
    act('weak'),
    'k, kk, fine, all right, alright, okey, okie, okey dokey, okie dokie, righto, very well',
  ],
  [
    act('weak'),
    "that's fine, thats fine, that is fine, fine by me, fine with me, that's ok, thats ok",
  ],
  [
    act('weak'),
    'sounds good, sounds great, sounds fine, that sounds good, sounds good to me, sounds fine to me, sounds ok',
  ],
  [
    act('weak'),
    'looks good, looks fine, looks ok, that looks good, looks great, works for me, that works',
  ],
  [
    act('weak'),
    "i am fine with that, i'm fine with that, i am fine with it, i'm fine with it, ok with me, ok by me, okay by me",
  ],
  [act('weak', 'with'), 'continue, go on, carry on, keep going'],
];

const NO: readonly Group[] = [
  [act('deny', 'answer'), 'no, nope, nah, nay, n, noo, negative'],
  [
    act('deny'),
    'no way, absolutely not, definitely not, of course not, certainly not, hell no, not a chance',
  ],
  [
    act('deny'),
    "no go, no dice, never, never mind, nevermind, nvm, no need, i'd rather not, rather not, better not",
  ],
  [act('deny'), NOT.join(', ')],
  [act('deny'), "no don't, thumbs down, call it off, i disapprove, disapprove, abort mission"],
  [
    act('deny'),
    `forget it, forget that, forget about it, leave it, leave it alone, leave it be, leave that, drop it, drop that, scrap it, scrap that`,
  ],
  [
    act('deny', 'verb'),
    `${NO_VERBS}, denied, rejected, cancelled, canceled, declined, refused, aborted, vetoed`,
  ],
  [act('deny', 'verb'), 'i deny, i reject, i refuse, i decline, i veto'],
  [act('deny', 'verb'), notTo(`${DO_VERBS}, ${YES_VERBS}, proceed, continue, go ahead, go`)],
  [act('deny'), each(`${NO_VERBS}, i reject, i deny`, 'it, that, this, them, them all, it all')],
  [act('deny'), each(notTo(`${DO_VERBS}, ${YES_VERBS}`), 'it, that, this, them, them all, it all')],
  [act('deny'), "i don't approve, i dont approve, i do not approve, i don't agree, i do not agree"],
  [
    act('deny'),
    "i don't approve it, i don't approve that, i don't approve this, i do not approve it, i do not approve that, i do not approve this",
  ],
  [
    act('deny'),
    "i don't want it, i don't want that, i do not want that, not ok, not okay, not approved",
  ],
  [
    act('deny'),
    'none, none of them, none of those, none of these, none of it, neither of them, not any of them',
  ],
];

const HOLD: readonly Group[] = [
  [
    act('hold', 'verb'),
    'wait, hold, hold on, hold off, hang on, pause, postpone, defer, please wait, wait with, wait for me',
  ],
  [
    act('hold'),
    'wait a minute, wait a moment, wait a second, wait a sec, wait a bit, wait up, wait please',
  ],
  [act('hold'), 'hold it, hold that, hold that thought, hold up, not so fast, slow down, easy'],
  [
    act('hold'),
    'not yet, not now, not right now, not today, not tonight, not until tonight, not until tomorrow, not just yet, not at the moment',
  ],
  [
    act('hold'),
    'later, maybe later, later please, later today, tonight, tomorrow, tomorrow morning, another time, some other time, not this time, next week',
  ],
  [
    act('hold'),
    'in a bit, in a minute, in a moment, in a while, in a second, in an hour, soon, after lunch, this evening',
  ],
  [
    act('hold'),
    'give me a minute, give me a moment, give me a second, give me a sec, give me a bit, give me some time',
  ],
  [
    act('hold'),
    'one minute, one moment, one second, one sec, a moment, a minute, just a minute, just a moment, just a second, just a sec, a sec, sec, moment',
  ],
  [
    act('hold'),
    'let me think, let me think about it, let me check, let me check first, let me look, let me look first, let me see, let me see first, i need to think, i need to check, i need to check first, i need a minute',
  ],
  [
    act('hold'),
    'after the backup, after the backup finishes, after the backup is done, when the backup is done, once the backup is done, after midnight',
  ],
];

const STRUCTURE: readonly Group[] = [
  [
    { is: 'filler' },
    'please, pls, plz, thanks, thank you, thx, ty, cheers, thanks a lot, thank you very much, many thanks, sorry',
  ],
  [
    { is: 'filler' },
    'great, perfect, excellent, good, nice, cool, awesome, wonderful, lovely, brilliant, now, right now, right away, then, kindly',
  ],
  [
    { is: 'idiom' },
    'no problem, no problems, no problem at all, no worries, no objection, no objections, no concerns, no issues, why not',
  ],
  [{ is: 'only' }, 'only, just'],
  [{ is: 'and' }, 'and'],
  [{ is: 'link' }, 'to, for'],
  [{ is: 'with' }, 'with'],
  [
    { is: 'all' },
    'all, all of them, all of those, all of these, them all, everything, every one, every one of them, it all, all of it, each of them, each one',
  ],
  [{ is: 'both' }, 'both, both of them, them both, the two, both of those'],
  [
    { is: 'rest' },
    'the rest, rest, the others, others, the other ones, the rest of them, all others, all the others, everything else',
  ],
  [
    { is: 'allBut' },
    'all but, all except, everything but, everything except, all of them but, all of them except, all except for, everything except for, them all except, them all but, all apart from, everything apart from',
  ],
  ...['first, 1st', 'second, 2nd', 'third, 3rd', 'fourth, 4th', 'fifth, 5th'].map((names, at) =>
    place(names, at),
  ),
  place('last', -1),
];

function place(names: string, at: number): Group {
  const forms = (name: string): string => `${name}, ${name} one, the ${name}, the ${name} one`;
  return [{ is: 'place', at }, names.split(', ').map(forms).join(', ')];
}

export const ENGLISH: Lexicon = lexicon(...YES, ...NO, ...HOLD, ...STRUCTURE);
