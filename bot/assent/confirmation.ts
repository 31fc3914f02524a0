import type { OpenCard } from './assessment.ts';

export type Confirmation =
  | { readonly is: 'confirms'; readonly card: OpenCard }
  | { readonly is: 'refuses'; readonly card: OpenCard }
  /** Begins like the sentence, but is not what one card prints. */
  | { readonly is: 'inexact' }
  | { readonly is: 'other' };

const CONFIRM = /^(?:i +)?confirm +/i;
const NEGATED =
  /^(?:no[,.]? +)?(?:please +)?(?:i +)?(?:do +not|don['’]?t|refuse +to|will +not|won['’]?t|never) +(?:confirm +)?/i;

/**
 * The typed sentence (R7): one line, `[I] confirm <verb> <object>`, with verb and object exactly as
 * one card prints them. Upper and lower case of the words do not matter, those of the object do.
 * A negated sentence that names the object denies the card.
 */
export function readConfirmation(text: string, cards: readonly OpenCard[]): Confirmation {
  for (const [start, is] of [
    [CONFIRM, 'confirms'],
    [NEGATED, 'refuses'],
  ] as const) {
    const match = start.exec(text);
    if (match === null) continue;
    const rest = text.slice(match[0].length);
    const named = cards.filter((card) => names(rest, card, cards));
    const [card] = named;
    if (card !== undefined && named.length === 1) return { is, card };
  }
  return /\bconfirm\b/i.test(text) ? { is: 'inexact' } : { is: 'other' };
}

function names(rest: string, card: OpenCard, cards: readonly OpenCard[]): boolean {
  if (card.risk !== 'destructive' || card.phrase === null) return false;
  const { verb, object, aliases } = card.phrase;
  if (rest.slice(0, verb.length).toLowerCase() !== verb.toLowerCase()) return false;
  const spaced = /^ +(\S.*)$/u.exec(rest.slice(verb.length));
  const written = spaced?.[1];
  if (written === undefined) return false;
  const accepted = [object, ...aliases].flatMap((name) => [name, `${name}.`]);
  return accepted.includes(written) || isHashed(written, card, cards);
}

/** `#135` for guest 135, unless another card has that number. */
function isHashed(written: string, card: OpenCard, cards: readonly OpenCard[]): boolean {
  const digits = /^#(\d+)\.?$/.exec(written)?.[1];
  if (digits === undefined || digits !== card.phrase?.object) return false;
  return cards.every((other) => other.id === card.id || other.number !== Number(digits));
}
