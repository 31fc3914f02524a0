import type { ConfirmPhrase } from '../../shared/domain/gate-result.ts';
import type { RiskClass } from '../../shared/domain/risk.ts';

/** A pending card as the rules of assent see it. Numbers count per room and are never reused. */
export interface OpenCard {
  readonly id: string;
  readonly number: number;
  /** `restart nginx on lxc:web`, for lines that name what waits. */
  readonly what?: string;
  readonly risk: RiskClass;
  /** What the card prints after "I confirm"; destructive cards only. */
  readonly phrase:
    | (ConfirmPhrase & {
        /** Other accepted names of the object: its exact name, `kind:id`. */
        readonly aliases: readonly string[];
      })
    | null;
  /** Bare words may bind to it (R8): shown in the last turn, and nothing stands between. */
  readonly bound: boolean;
  /** The card, or its re-showing line, is the last event that the bot sent. */
  readonly last: boolean;
}

export const SAID_KINDS = [
  'text',
  'reply_to_card',
  'reply_elsewhere',
  'reaction',
  'edit',
  'redaction',
  'notice',
  'emote',
  'caption',
  'undecryptable',
] as const;
export type SaidKind = (typeof SAID_KINDS)[number];

/** One event in the room, with what the caller knows about its envelope (R0). */
export interface Said {
  readonly kind: SaidKind;
  /** The text, the new text of an edit, or the key of a reaction. */
  readonly body: string;
  readonly formattedBody?: string;
  /** Number of the card that it replies or reacts to. */
  readonly onCard?: number;
  readonly fromOperator: boolean;
  readonly afterCard: boolean;
}

export const ASSESSMENT_LABELS = ['assent', 'deny', 'hold', 'typed_confirm', 'neither'] as const;
export type AssessmentLabel = (typeof ASSESSMENT_LABELS)[number];

export interface Assessment {
  readonly label: AssessmentLabel;
  /** Ids of the cards that this approves and denies, in the order of their numbers. */
  readonly approve: readonly string[];
  readonly deny: readonly string[];
  /** Why, in one plain sentence, for the log. */
  readonly reason: string;
  /** One line for the room when the message looked like a decision but is none, or left one open. */
  readonly explain?: string;
  /** It says more than decision words: the agent should read it, whatever the room is told. */
  readonly isTalk?: true;
}

/** Nothing is decided. */
export function neither(reason: string, explain?: string): Assessment {
  const empty = { label: 'neither', approve: [], deny: [], reason } as const;
  return explain === undefined ? empty : { ...empty, explain };
}

/** `#1`, `#1 and #2`, `#1, #2 and #3`. */
export function listNumbers(cards: readonly OpenCard[]): string {
  const numbers = byNumber(cards).map((card) => `#${card.number}`);
  const head = numbers.slice(0, -1).join(', ');
  return head === '' ? numbers.join('') : `${head} and ${numbers.at(-1)}`;
}

export function byNumber(cards: readonly OpenCard[]): OpenCard[] {
  return cards.toSorted((a, b) => a.number - b.number);
}

export function isDestructive(card: OpenCard): boolean {
  return card.risk === 'destructive';
}
