import {
  type Assessment,
  isDestructive,
  listNumbers,
  neither,
  type OpenCard,
  type Said,
} from './assessment.ts';
import { type Confirmation, readConfirmation } from './confirmation.ts';
import { looksLikeDecision, nothingRan, stillOpen } from './explain.ts';
import { type Reading, read } from './grammar.ts';
import { BOT_NAMES, cleanText, readableText, stripReplyFallback } from './normalize.ts';
import { assessReaction } from './reaction.ts';
import { type Resolved, resolveClauses } from './resolve.ts';

export type { Assessment, OpenCard, Said } from './assessment.ts';
export { stripReplyFallback } from './normalize.ts';

/**
 * What one message decides about the open cards of its room.
 * Deterministic; no model has a say. The caller answers for the envelope: operator, order, room.
 * A reply to a card speaks about that card alone. `names` are the names the bot answers to.
 */
export function assess(
  said: Said,
  cards: readonly OpenCard[],
  names: readonly string[] = BOT_NAMES,
): Assessment {
  if (said.kind === 'reaction') {
    return said.afterCard
      ? assessReaction(said.body, onlyCard(said, cards)[0], said.fromOperator)
      : neither('the reaction is older than the card');
  }
  const refused = refuseEnvelope(said, cards);
  if (refused !== undefined) return refused;
  const pool = said.kind === 'reply_to_card' ? onlyCard(said, cards).map(bind) : cards;
  if (pool.length === 0) return neither('no card is pending');
  const assessment = assessWords(ownText(said), said.formattedBody, pool, names);
  return said.kind === 'edit' ? withdrawOnly(assessment) : assessment;
}

/** A lone "stop": besides denying, it closes windows and ends what runs. */
export function isStop(body: string): boolean {
  return isWord(body, /^stop[.!]*$/);
}

/** A lone "oops" or "undo": said next after a yes, it takes that yes back. */
export function isUndo(body: string): boolean {
  return isWord(body, /^(?:o+ps|whoops|undo|undo (?:it|that))[.!]*$/);
}

/** A lone "pause" or "resume": what the agent of a room is told, as by the command. */
export function pauseWord(body: string): 'pause' | 'resume' | undefined {
  if (isWord(body, /^pause[.!]*$/)) return 'pause';
  return isWord(body, /^resume[.!]*$/) ? 'resume' : undefined;
}

function isWord(body: string, word: RegExp): boolean {
  const clean = cleanText(body);
  const text = clean.ok ? readableText(clean.text, BOT_NAMES) : clean;
  return text.ok && word.test(text.text);
}

/**
 * A whole message that says no or wait to everything (K15): whether a card is open or not, it takes
 * back the room that an earlier yes gave.
 */
export function callsOff(body: string, formattedBody?: string): boolean {
  const clean = cleanText(body, formattedBody);
  const text = clean.ok ? readableText(clean.text, BOT_NAMES) : clean;
  if (!text.ok) return false;
  const reading = read(text.text);
  if (reading.is !== 'decision') return reading.is === 'hold';
  return reading.clauses.every(({ act, scope }) => act === 'deny' && scope.is !== 'numbers');
}

/** R0: why such an event decides nothing, whatever it says. */
function refuseEnvelope(said: Said, cards: readonly OpenCard[]): Assessment | undefined {
  if (!said.fromOperator) return neither('it is not from an operator');
  switch (said.kind) {
    case 'notice':
    case 'emote':
    case 'caption':
      return neither(`a ${said.kind} decides nothing`);
    case 'undecryptable':
      return neither('it could not be decrypted');
    case 'redaction':
      return neither('a redaction decides nothing; it only withdraws');
    case 'reply_elsewhere':
      return neither(
        'it replies to something that is not a card',
        explainIf(said, cards, 'That replies to something else'),
      );
    default:
      break;
  }
  if (said.afterCard) return undefined;
  return neither(
    'it was sent before the card was shown',
    explainIf(said, cards, 'That crossed the card on its way'),
  );
}

function assessWords(
  body: string,
  formattedBody: string | undefined,
  cards: readonly OpenCard[],
  names: readonly string[],
): Assessment {
  const clean = cleanText(body, formattedBody);
  if (!clean.ok) return unclear(clean.why, body, cards);
  const confirmation = readConfirmation(clean.text, cards);
  if (confirmation.is !== 'other') return confirmed(confirmation, cards);
  const readable = readableText(clean.text, names);
  if (!readable.ok) return unclear(readable.why, clean.text, cards);
  if (/^stop[.!]*$/.test(readable.text)) {
    return {
      label: 'deny',
      approve: [],
      deny: ids(cards),
      reason: 'a lone stop denies all that waits',
    };
  }
  return decided(read(readable.text), readable.text, cards);
}

function confirmed(
  confirmation: Exclude<Confirmation, { is: 'other' }>,
  cards: readonly OpenCard[],
): Assessment {
  if (confirmation.is === 'inexact') {
    const printed = cards.filter(isDestructive);
    const explain = `That is not exactly what the card prints: ${stillOpen(printed)}`;
    return neither(
      'it is not the exact sentence of one card',
      printed.length > 0 ? explain : undefined,
    );
  }
  const { card } = confirmation;
  return confirmation.is === 'confirms'
    ? {
        label: 'typed_confirm',
        approve: [card.id],
        deny: [],
        reason: `typed the sentence of #${card.number}`,
      }
    : { label: 'deny', approve: [], deny: [card.id], reason: `refused #${card.number} by name` };
}

function decided(reading: Reading, text: string, cards: readonly OpenCard[]): Assessment {
  switch (reading.is) {
    case 'unread':
      return unclear(reading.why, text, cards);
    case 'hold':
      return {
        label: 'hold',
        approve: [],
        deny: [],
        reason: 'it asks to wait',
        explain: nothingRan('Waiting', cards),
      };
    case 'decision':
      return granted(resolveClauses(reading.clauses, cards), text, cards);
  }
}

function granted(resolved: Resolved, text: string, cards: readonly OpenCard[]): Assessment {
  if (!resolved.ok) return neither(resolved.why, explainRefusal(resolved, cards));
  const { approve, deny } = resolved;
  if (approve.length === 0) {
    return {
      label: 'deny',
      approve: [],
      deny: ids(deny),
      reason: `"${text}" denies ${listNumbers(deny)}`,
    };
  }
  const decision = {
    label: 'assent',
    approve: ids(approve),
    deny: ids(deny),
    reason: `"${text}" approves ${listNumbers(approve)}`,
  } as const;
  const left = cards.filter((card) => card.bound && isDestructive(card) && !deny.includes(card));
  return left.length === 0
    ? decision
    : { ...decision, explain: `That yes covers ${listNumbers(approve)} only: ${stillOpen(left)}` };
}

function explainRefusal(
  { blame, why }: Extract<Resolved, { ok: false }>,
  cards: readonly OpenCard[],
) {
  const because = {
    unbound: 'I was not sure which card that answers',
    destructive: 'A destructive command needs its typed sentence',
    number: `I could not tell which card that means (${why})`,
    contradiction: 'That says yes and no to the same card',
  }[blame];
  return nothingRan(because, cards);
}

function unclear(why: string, text: string, cards: readonly OpenCard[]): Assessment {
  const explain = looksLikeDecision(text, verbsOf(cards))
    ? nothingRan('I read that as talk or a change of plan, not as a plain yes or no', cards)
    : undefined;
  return { ...neither(`no decision: ${why}`, explain), isTalk: true };
}

function verbsOf(cards: readonly OpenCard[]): string[] {
  return cards.flatMap(({ phrase }) => phrase?.verb ?? []);
}

function explainIf(said: Said, cards: readonly OpenCard[], because: string): string | undefined {
  const decides = cards.length > 0 && looksLikeDecision(ownText(said), verbsOf(cards));
  return decides ? nothingRan(because, cards) : undefined;
}

/** R0: an edit can take a yes back; it never gives one. */
function withdrawOnly(assessment: Assessment): Assessment {
  const takesBack = assessment.label === 'deny' || assessment.label === 'hold';
  return takesBack ? assessment : neither('an edit never approves');
}

function ownText(said: Said): string {
  const isReply = said.kind === 'reply_to_card' || said.kind === 'reply_elsewhere';
  return isReply ? stripReplyFallback(said.body) : said.body;
}

function onlyCard(said: Said, cards: readonly OpenCard[]): readonly OpenCard[] {
  return cards.filter(({ number }) => number === said.onCard);
}

/** A reply names its card as plainly as its number would. */
function bind(card: OpenCard): OpenCard {
  return { ...card, bound: true, last: true };
}

function ids(cards: readonly OpenCard[]): string[] {
  return cards.map(({ id }) => id);
}
