import { z } from 'zod';
import type { Assessment, OpenCard, Said } from '../bot/assent/assent.ts';

/** One line of the corpus: what stood in the room, and who said what, how and when. */
export const assentCaseSchema = z.object({
  state: z.enum(['S0', 'S1', 'S2', 'S3', 'S4', 'S5', 'S6', 'S7', 'S9', 'S10', 'S11']),
  kind: z.string(),
  from: z.string(),
  when: z.string(),
  message: z.string(),
});
export type AssentCase = z.infer<typeof assentCaseSchema>;

/** The cards that are open in a state of the corpus (the rules of assent). */
const STATES: Readonly<Record<AssentCase['state'], readonly OpenCard[]>> = {
  S0: [],
  S1: [change(1)],
  S2: [change(1, { last: false }), change(2, { last: false }), change(3)],
  S3: [destroy(1, 135, ['web-old', 'lxc:web-old', 'lxc:135'])],
  S4: [change(1, { last: false }), destroy(2, 135, ['web-old', 'lxc:web-old', 'lxc:135'])],
  /** The last turn asked something else. */
  S5: [change(1, { bound: false, last: false })],
  S6: [destroy(1, 135, [], false), destroy(2, 136, [])],
  /** The last turn explained without showing the card again. */
  S7: [change(1, { bound: false, last: false })],
  /** Another person spoke in between. */
  S9: [change(1, { bound: false })],
  /** A card of another task is newer, so a bare word fits neither. */
  S10: [change(1, { bound: false, last: false }), change(2, { bound: false })],
  /** The last turn ended with a line that says that the card is still open. */
  S11: [change(1)],
};

/** The same input that the bot builds from the room and the database. */
export function buildCase(row: AssentCase): { said: Said; cards: readonly OpenCard[] } {
  const gone =
    row.when === 'after_expiry' ||
    row.when === 'after_decided' ||
    row.kind === 'reaction_on_old_card';
  const onCard =
    row.kind === 'reply' || row.kind === 'reaction' || row.kind === 'reaction_on_old_card';
  return {
    cards: gone ? [] : STATES[row.state],
    said: {
      kind: saidKind(row.kind),
      body: row.message,
      ...(onCard ? { onCard: 1 } : {}),
      fromOperator: row.from === 'operator',
      afterCard: row.when !== 'before_card' && row.when !== 'first_sync_history',
    },
  };
}

/** Scope as the corpus writes it: `1,3`, `2;deny:3`, or the confirmed object. */
export function describeScope(assessment: Assessment, cards: readonly OpenCard[]): string {
  const named = (ids: readonly string[]): string =>
    cards
      .filter(({ id }) => ids.includes(id))
      .map(nameOf)
      .join(',');
  const approve = named(assessment.approve);
  const deny = named(assessment.deny);
  if (assessment.label === 'deny') return deny;
  return deny === '' ? approve : `${approve};deny:${deny}`;
}

function nameOf(card: OpenCard): string {
  return card.phrase?.object ?? String(card.number);
}

function saidKind(kind: string): Said['kind'] {
  const known: Readonly<Record<string, Said['kind']>> = {
    text: 'text',
    reply: 'reply_to_card',
    reply_to_card: 'reply_to_card',
    reply_to_other_message: 'reply_elsewhere',
    reply_elsewhere: 'reply_elsewhere',
    other_thread: 'reply_elsewhere',
    reaction: 'reaction',
    reaction_on_old_card: 'reaction',
    reaction_on_forged_card: 'reaction',
    reaction_redacted_before_start: 'redaction',
    redacted_before_start: 'redaction',
    notice: 'notice',
    emote: 'emote',
    caption: 'caption',
  };
  if (kind.startsWith('edit')) return 'edit';
  return known[kind] ?? 'undecryptable';
}

function change(number: number, differs: Partial<OpenCard> = {}): OpenCard {
  const card = { number, risk: 'config_mutation', phrase: null, bound: true, last: true } as const;
  return { id: `card-${number}`, ...card, ...differs };
}

function destroy(number: number, vmid: number, aliases: readonly string[], last = true): OpenCard {
  const phrase = { verb: 'destroy', object: String(vmid), aliases };
  return { id: `card-${number}`, number, risk: 'destructive', phrase, bound: true, last };
}
