import { z } from 'zod';

/** One message as a person sees it: edits applied, reactions collected. */
export interface TimelineItem {
  roomId: string;
  eventId: string;
  sender: string;
  /** Milliseconds since 1970. */
  at: number;
  msgtype: string;
  body: string;
  formattedBody: string | null;
  /** The content shown now, with every field of ours in it. */
  content: Record<string, unknown>;
  edits: number;
  redacted: boolean;
  replyTo: string | null;
  threadRoot: string | null;
  reactions: { eventId: string; sender: string; key: string }[];
}

const text = z.string().nullish().catch(null);
const Relation = z.object({
  rel_type: text,
  event_id: text,
  key: text,
  is_falling_back: z.boolean().nullish().catch(null),
  'm.in_reply_to': z.object({ event_id: text }).nullish().catch(null),
});
const Shown = z.looseObject({ msgtype: text, body: text, formatted_body: text });
const Content = Shown.extend({
  redacts: text,
  'm.new_content': Shown.nullish().catch(null),
  'm.relates_to': Relation.nullish().catch(null),
});
const Event = z.object({
  event_id: z.string(),
  sender: z.string(),
  type: z.string(),
  origin_server_ts: z.number().catch(0),
  content: Content.catch({}).default({}),
  redacts: text,
});
type Event = z.infer<typeof Event>;

/** A room's messages in the order in which the homeserver sent them. */
export interface Timeline {
  items(): readonly TimelineItem[];
  /** Applies one event of a sync; what is no message, edit, reaction or redaction is passed over. */
  apply(wire: unknown): void;
}

export function createTimeline(roomId: string): Timeline {
  const items: TimelineItem[] = [];
  const find = (eventId: string | null | undefined) =>
    items.find((item) => item.eventId === eventId);
  return {
    items: () => items,
    apply(wire) {
      const read = Event.safeParse(wire);
      if (!read.success) return;
      const event = read.data;
      if (event.type === 'm.reaction') applyReaction(event, find);
      else if (event.type === 'm.room.redaction') applyRedaction(event, items);
      else if (event.type !== 'm.room.message') return;
      else if (event.content['m.relates_to']?.rel_type === 'm.replace') applyEdit(event, find);
      else if (find(event.event_id) === undefined) items.push(itemOf(roomId, event));
    },
  };
}

type Find = (eventId: string | null | undefined) => TimelineItem | undefined;

/** Only its own sender can edit a message. */
function applyEdit(event: Event, find: Find): void {
  const item = find(event.content['m.relates_to']?.event_id);
  const shown = event.content['m.new_content'];
  if (item === undefined || item.sender !== event.sender || shown == null) return;
  item.edits += 1;
  item.content = shown;
  item.msgtype = shown.msgtype ?? item.msgtype;
  item.body = shown.body ?? '';
  item.formattedBody = shown.formatted_body ?? null;
}

function applyReaction(event: Event, find: Find): void {
  const relation = event.content['m.relates_to'];
  const key = relation?.key;
  const item = find(relation?.event_id);
  if (item === undefined || key == null) return;
  if (item.reactions.some(({ eventId }) => eventId === event.event_id)) return;
  item.reactions.push({ eventId: event.event_id, sender: event.sender, key });
}

function applyRedaction(event: Event, items: TimelineItem[]): void {
  const gone = event.redacts ?? event.content.redacts;
  for (const item of items) {
    item.reactions = item.reactions.filter(({ eventId }) => eventId !== gone);
    if (item.eventId !== gone) continue;
    Object.assign(item, { redacted: true, body: '', formattedBody: null, content: {} });
  }
}

function itemOf(roomId: string, event: Event): TimelineItem {
  const { content } = event;
  const relation = content['m.relates_to'];
  const inThread = relation?.rel_type === 'm.thread';
  const isFallback = inThread && relation.is_falling_back === true;
  return {
    roomId,
    eventId: event.event_id,
    sender: event.sender,
    at: event.origin_server_ts,
    msgtype: content.msgtype ?? '',
    body: content.body ?? '',
    formattedBody: content.formatted_body ?? null,
    content,
    edits: 0,
    redacted: content.body == null,
    replyTo: isFallback ? null : (relation?.['m.in_reply_to']?.event_id ?? null),
    threadRoot: inThread ? (relation.event_id ?? null) : null,
    reactions: [],
  };
}
