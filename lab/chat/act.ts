import type { TimelineItem } from '../console/timeline.ts';
import type { ConsoleUser } from '../console/user.ts';
import type { Input } from './input.ts';
import { cardNumber } from './render.ts';

export interface Seat {
  readonly user: ConsoleUser;
  readonly roomId: string;
  readonly botId: string;
  /** Root of the thread in which the person is; undefined in the room itself. */
  thread: string | undefined;
}

/** What became of an input: an event in the room, or a line for the person alone. */
export type Acted =
  | { readonly kind: 'sent'; readonly eventId: string }
  | { readonly kind: 'told'; readonly text: string };

type RoomInput = Extract<Input, { kind: 'say' | 'react' | 'reply' | 'thread' }>;

/** Does in the room what the input asks for. */
export async function act(seat: Seat, input: RoomInput): Promise<Acted> {
  const { user, roomId, thread } = seat;
  if (input.kind === 'say') {
    const eventId =
      thread === undefined
        ? await user.say(roomId, input.text)
        : await user.sayInThread(roomId, thread, input.text);
    return { kind: 'sent', eventId };
  }
  if (input.kind === 'thread' && input.card === undefined) {
    seat.thread = undefined;
    return { kind: 'told', text: 'You speak in the room.' };
  }
  const card = findCard(user.timeline(roomId), seat.botId, input.card);
  if (!card) {
    const which = input.card === undefined ? 'no card' : `no card #${input.card}`;
    return { kind: 'told', text: `There is ${which} in this room.` };
  }
  switch (input.kind) {
    case 'react':
      return { kind: 'sent', eventId: await user.react(roomId, card.eventId, input.key) };
    case 'reply':
      return { kind: 'sent', eventId: await user.reply(roomId, card.eventId, input.text) };
    case 'thread':
      seat.thread = card.threadRoot ?? card.eventId;
      return { kind: 'told', text: 'You speak in the thread of that card; /thread leaves it.' };
  }
}

/** The card of that number, else the newest one. */
function findCard(
  items: readonly TimelineItem[],
  botId: string,
  number: number | undefined,
): TimelineItem | undefined {
  return items.findLast((item) => {
    const found = cardNumber(item, botId);
    return found !== undefined && (number === undefined || found === number);
  });
}
