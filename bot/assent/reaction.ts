import { type Assessment, isDestructive, neither, type OpenCard } from './assessment.ts';
import { NO_EMOJI, undressEmoji, YES_EMOJI } from './emoji.ts';

/**
 * What a reaction decides (R12): the exact key, skin tone and U+FE0F aside, by an operator, on a
 * pending card that we sent. A homeserver can forge reactions, so none approves a destructive
 * card; denying one stays possible, because nothing runs then.
 * `card` is undefined where the event reacted to is no pending card of ours.
 */
export function assessReaction(
  key: string,
  card: OpenCard | undefined,
  fromOperator: boolean,
): Assessment {
  if (!fromOperator) return neither('the reaction is not from an operator');
  if (card === undefined) return neither('the reaction is not on a pending card');
  const plain = undressEmoji(key);
  if (isOneOf(NO_EMOJI, plain)) {
    return { label: 'deny', approve: [], deny: [card.id], reason: `${plain} on #${card.number}` };
  }
  if (!isOneOf(YES_EMOJI, plain)) return neither('the reaction is no decision');
  if (isDestructive(card)) {
    return neither(
      'no reaction approves a destructive card',
      card.phrase === null
        ? `#${card.number} is destructive: a reaction does not run it.`
        : `#${card.number} is destructive: a reaction does not run it. Type "I confirm ${card.phrase.verb} ${card.phrase.object}".`,
    );
  }
  return { label: 'assent', approve: [card.id], deny: [], reason: `${plain} on #${card.number}` };
}

function isOneOf(keys: readonly string[], key: string): boolean {
  return keys.includes(key);
}

/** 🛑: on a live run it stops that run. */
export function isStopKey(key: string): boolean {
  return undressEmoji(key) === '🛑';
}
