/** A card that waits, and where in the room's order it was last shown. */
export interface ShownCard {
  readonly approvalId: string;
  readonly taskId: string;
  readonly shownSeq: number;
}

/** A message of the room, as far as binding looks at it. */
export interface RoomMessage {
  readonly seq: number;
  readonly sender: string;
  readonly fromUs: boolean;
  readonly edit: boolean;
  /** Our own: an ordinary answer, or the approvals that it shows. */
  readonly kind: 'answer' | 'card' | 'reminder' | 'line' | 'progress' | 'speech';
  readonly taskId?: string | undefined;
  readonly approvals: readonly string[];
}

export interface Binding {
  readonly bound: boolean;
  /** The card, or a line that shows it, is the last thing that we sent. */
  readonly last: boolean;
}

/**
 * R8: bare words bind to a card only while, in the whole room, nothing stands between: no other
 * person's message, no later answer of ours, no open card of another task. `between` holds the
 * room's messages after `shownSeq` and before the words; `open` the approvals that still wait.
 */
export function bindingOf(
  card: ShownCard,
  speaker: string,
  messages: readonly RoomMessage[],
  open: ReadonlySet<string>,
): Binding {
  const between = messages.filter((message) => message.seq > card.shownSeq && !message.edit);
  const ours = between.filter((message) => message.fromUs && !showsSameTask(message, card));
  const otherPerson = between.some((message) => !message.fromUs && message.sender !== speaker);
  const answered = ours.some(({ kind }) => kind === 'answer');
  const otherCard = ours.some(({ approvals }) => approvals.some((id) => open.has(id)));
  const bound = !otherPerson && !answered && !otherCard;
  return { bound, last: bound && ours.length === 0 };
}

function showsSameTask(message: RoomMessage, card: ShownCard): boolean {
  return message.approvals.length > 0 && message.taskId === card.taskId;
}
