export const APPROVAL_STATUSES = [
  'pending',
  'granted',
  'denied',
  'expired',
  'withdrawn',
  'revoked',
] as const;
export type ApprovalStatus = (typeof APPROVAL_STATUSES)[number];

/** The way a decision came in. */
export const DECISION_WAYS = ['words', 'reaction', 'reply', 'typed', 'cli', 'http'] as const;
export type DecisionWay = (typeof DECISION_WAYS)[number];

export const DECISIONS = ['granted', 'denied'] as const;

/** How long a card waits for its answer. */
export const CARD_LIFE_MS = 24 * 60 * 60_000;
/** How long approved work may wait for its start: after a person's yes, and after the gate's. */
export const START_AFTER_YES_MS = 60 * 60_000;
export const START_AFTER_GATE_MS = 15 * 60_000;

/** `I confirm destroy 135`: the one sentence that starts a destructive command. */
export function typedSentence(phrase: { readonly verb: string; readonly object: string }): string {
  return `I confirm ${phrase.verb} ${phrase.object}`;
}
