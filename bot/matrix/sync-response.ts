import { z } from 'zod';
import { type RawRoomEvent, readRoomEvent } from './raw-event.ts';

const Events = z.object({ events: z.array(z.unknown()).catch([]) });
const NoEvents = { events: [] };

const Timeline = z.object({
  events: z.array(z.unknown()).catch([]),
  limited: z.boolean().catch(false),
  prev_batch: z.string().optional().catch(undefined),
});
const Room = z.object({
  state: Events.catch(NoEvents).default(NoEvents),
  timeline: Timeline.catch({ events: [], limited: false }).default({ events: [], limited: false }),
});
const EmptyRoom = { state: NoEvents, timeline: { events: [], limited: false } };
const Rooms = z.record(z.string(), Room.catch(EmptyRoom)).catch({}).default({});
const Invited = z.object({ invite_state: Events.catch(NoEvents).default(NoEvents) });

const SyncWire = z.object({
  next_batch: z.string().min(1),
  rooms: z
    .object({
      join: Rooms,
      leave: Rooms,
      invite: z
        .record(z.string(), Invited.catch({ invite_state: NoEvents }))
        .catch({})
        .default({}),
    })
    .catch({ join: {}, leave: {}, invite: {} })
    .default({ join: {}, leave: {}, invite: {} }),
});

export interface RoomSlice {
  roomId: string;
  /** Oldest first, as sent by the server. */
  timeline: unknown[];
  /** Where the events begin that this sync left out; null if it left out none. */
  gapFrom: string | null;
  /** State that changed before the timeline. */
  state: unknown[];
}

export interface Invite {
  roomId: string;
  inviter: string;
}

export interface SyncBatch {
  nextToken: string;
  rooms: RoomSlice[];
  invites: Invite[];
}

/** @throws ZodError when it is not the answer of a /sync at all. */
export function readSync(raw: unknown, ourUserId: string): SyncBatch {
  const { next_batch, rooms } = SyncWire.parse(raw);
  const slices = [...Object.entries(rooms.leave), ...Object.entries(rooms.join)];
  return {
    nextToken: next_batch,
    rooms: slices.map(([roomId, { state, timeline }]) => ({
      roomId,
      timeline: timeline.events,
      gapFrom: timeline.limited ? (timeline.prev_batch ?? null) : null,
      state: state.events,
    })),
    invites: Object.entries(rooms.invite).flatMap(([roomId, room]) => {
      const inviter = inviterOf(room.invite_state.events, ourUserId);
      return inviter === null ? [] : [{ roomId, inviter }];
    }),
  };
}

/** The events of one room in order, with those that we must not act upon marked as history. */
export function orderRoomEvents(
  slice: Pick<RoomSlice, 'roomId' | 'timeline'>,
  ask: { gap: unknown[]; firstSync: boolean; ourUserId: string },
): RawRoomEvent[] {
  const wires = [...ask.gap, ...slice.timeline];
  // What was said before we came was not said to us: an operator's old "yes" is no answer to a card.
  const joinedAt = wires.findLastIndex((wire) => isOwnJoin(wire, ask.ourUserId));
  return wires.flatMap((wire, index) => {
    const history = ask.firstSync || index < joinedAt || isRename(wire);
    const origin = { history, gap: index < ask.gap.length };
    return readRoomEvent(slice.roomId, wire, origin) ?? [];
  });
}

const Membership = z.object({
  type: z.literal('m.room.member'),
  state_key: z.string(),
  sender: z.string(),
  content: z.object({ membership: z.string() }),
  unsigned: z
    .object({ prev_content: z.object({ membership: z.string() }).optional().catch(undefined) })
    .optional()
    .catch(undefined),
});

/** True for the event by which we came into the room, not for a change of our name in it. */
export function isOwnJoin(wire: unknown, ourUserId: string): boolean {
  const event = Membership.safeParse(wire);
  if (!event.success || event.data.state_key !== ourUserId) return false;
  const { content, unsigned } = event.data;
  return content.membership === 'join' && unsigned?.prev_content?.membership !== 'join';
}

/** Somebody who stays calls himself otherwise: nobody came or went. */
function isRename(wire: unknown): boolean {
  const event = Membership.safeParse(wire);
  if (!event.success) return false;
  const { content, unsigned } = event.data;
  return content.membership === unsigned?.prev_content?.membership;
}

function inviterOf(events: unknown[], ourUserId: string): string | null {
  for (const wire of events) {
    const event = Membership.safeParse(wire);
    if (!event.success || event.data.state_key !== ourUserId) continue;
    if (event.data.content.membership === 'invite') return event.data.sender;
  }
  return null;
}
