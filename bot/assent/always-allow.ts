import { DEFAULT_DAILY_CAP, MAX_DAILY_CAP } from '../../shared/domain/rule.ts';
import { BOT_NAMES, cleanText, withoutAddress } from './normalize.ts';

/** What a message says about things that are always allowed. */
export type AlwaysAllow =
  | { readonly is: 'other' }
  /** `always allow #4`: a card that ran. */
  | { readonly is: 'card'; readonly number: number; readonly dailyCap: number }
  /** `always allow` alone: the card that it replies to. */
  | { readonly is: 'reply'; readonly dailyCap: number }
  /** `always allow restart jellyfin on lxc:media, 3 a day` */
  | {
      readonly is: 'command';
      readonly command: string;
      readonly target: string;
      readonly dailyCap: number;
    }
  /** `I confirm rule R1` */
  | { readonly is: 'confirm'; readonly number: number }
  | { readonly is: 'unclear'; readonly why: string };

const START = /^always +allow(?![\w'’-])/i;
const CONFIRM = /^(?:i +)?confirm +rule +r(\d{1,9})[.!]?$/i;
const CAP = /(?:,|^)? *(?:at +most +)?(\d{1,4})(?: +times| *x)? +(?:a|per) +day$/i;
const CONDITION =
  /(?:^| )(?:when|whenever|if|while|unless|until|only|except|after|before|every|between)(?= |$)/i;
const MAX_LENGTH = 400;

/**
 * Reads the words that make a rule. Deterministic, the whole message or nothing: what cannot be read
 * whole makes no rule, and is no yes to a waiting card either.
 */
export function readAlwaysAllow(
  body: string,
  formattedBody?: string,
  names: readonly string[] = BOT_NAMES,
): AlwaysAllow {
  const clean = cleanText(body, formattedBody);
  const text = withoutAddress(clean.ok ? clean.text : body.trim(), names);
  const confirmed = CONFIRM.exec(text)?.[1];
  if (!START.test(text) && confirmed === undefined) return { is: 'other' };
  if (!clean.ok) return unclear(clean.why);
  if (confirmed !== undefined) return { is: 'confirm', number: Number(confirmed) };
  // Who asks about rules wants an answer, not a rule.
  if (text.includes('?')) return { is: 'other' };
  if (text.length > MAX_LENGTH || text.includes('\n')) return unclear('it is more than one line');
  return readWish(text.replace(START, '').replace(/[.!]$/, '').trim());
}

function readWish(wish: string): AlwaysAllow {
  const cap = CAP.exec(wish)?.[1];
  const dailyCap = cap === undefined ? DEFAULT_DAILY_CAP : Number(cap);
  if (dailyCap < 1 || dailyCap > MAX_DAILY_CAP) {
    return unclear(`how often must be from 1 to ${MAX_DAILY_CAP} a day`);
  }
  const what = wish.replace(CAP, '').trim();
  if (/^(?:this|that)?$/i.test(what)) return { is: 'reply', dailyCap };
  const number = /^#(\d{1,9})$/.exec(what)?.[1];
  if (number !== undefined) return { is: 'card', number: Number(number), dailyCap };
  if (CONDITION.test(what)) {
    return unclear('a rule has no condition yet: it counts always or not at all');
  }
  const place = /^(.+?) +on +(\S+)$/i.exec(what);
  const [, words, target] = place ?? [];
  if (words !== undefined && target !== undefined && !/,$/.test(target)) {
    return { is: 'command', command: commandOf(words), target, dailyCap };
  }
  return unclear('I need a card (#4), or a command and its target (restart jellyfin on lxc:media)');
}

/** `restart jellyfin` is short for the unit's command; anything else is the command itself. */
function commandOf(words: string): string {
  const service = /^(restart|reload|start) +([\w@.:-]+)$/i.exec(words);
  const [, verb, unit] = service ?? [];
  if (verb === undefined || unit === undefined) return words;
  return `systemctl ${verb.toLowerCase()} ${unit}`;
}

function unclear(why: string): AlwaysAllow {
  return { is: 'unclear', why };
}
