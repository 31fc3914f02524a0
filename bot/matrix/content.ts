/** What we send as m.room.message. Own fields are named `io.oikos.*`. */
export interface MessageContent {
  msgtype: 'm.text' | 'm.notice';
  body: string;
  format?: 'org.matrix.custom.html';
  formatted_body?: string;
  'm.mentions'?: { user_ids?: string[]; room?: boolean };
  'm.relates_to'?: MessageRelation;
  [extra: `io.oikos.${string}`]: unknown;
}

export type MessageRelation =
  | { 'm.in_reply_to': { event_id: string } }
  | {
      rel_type: 'm.thread';
      event_id: string;
      is_falling_back: boolean;
      'm.in_reply_to': { event_id: string };
    };

/** An event may hold 64 KiB, and an edit says everything twice: above this a file is sent. */
const MAX_CONTENT_BYTES = 30 * 1024;

/** Whether content fits into one event, now and when it is edited; else use `sendFile`. */
export function fitsInMessage(content: object): boolean {
  return Buffer.byteLength(JSON.stringify(content)) <= MAX_CONTENT_BYTES;
}

/**
 * Puts a message into the thread of `root`. `replyTo` makes it an answer to one message of the
 * thread; without it, clients that know no threads show it as an answer to the root.
 */
export function inThread<C extends MessageContent>(content: C, root: string, replyTo?: string): C {
  return { ...content, 'm.relates_to': threadRelation(root, replyTo) };
}

export function threadRelation(root: string, replyTo?: string): MessageRelation {
  return {
    rel_type: 'm.thread',
    event_id: root,
    is_falling_back: replyTo === undefined,
    'm.in_reply_to': { event_id: replyTo ?? root },
  };
}

/** Makes a message an answer to another. The original is not quoted: clients show it themselves. */
export function inReplyTo<C extends MessageContent>(content: C, eventId: string): C {
  return { ...content, 'm.relates_to': { 'm.in_reply_to': { event_id: eventId } } };
}

/**
 * The event that replaces the content of `eventId`. Its thread stays that of the original, and it
 * mentions nobody again.
 */
export function editOf(
  eventId: string,
  content: { msgtype: string; body: string; 'm.relates_to'?: unknown },
): Record<string, unknown> {
  const { 'm.relates_to': _stays, ...replacement } = content;
  return {
    msgtype: content.msgtype,
    body: `* ${content.body}`,
    'm.new_content': replacement,
    'm.mentions': {},
    'm.relates_to': { rel_type: 'm.replace', event_id: eventId },
  };
}
