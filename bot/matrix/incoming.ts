import { z } from 'zod';
import type { RawRoomEvent } from './raw-event.ts';
import { type SplitBody, splitReplyFallback } from './reply-fallback.ts';

/** An inbox row, read for what it means. `text` is the only kind that can carry an operator's words. */
export type Incoming =
  | TextMessage
  | (About & { kind: 'edit'; edits: string; body: string; formattedBody: string | null })
  | (About & { kind: 'reaction'; relatesTo: string; key: string })
  | (About & { kind: 'redaction'; redacts: string; reason: string | null })
  | (About & { kind: 'membership'; user: string; membership: string; displayName: string | null })
  | (About & { kind: 'other'; type: string });

export interface TextMessage extends About {
  kind: 'text';
  msgtype: string;
  body: string;
  /** The body without the quoted original that some clients put before a reply. */
  ownBody: string;
  quoted: string | null;
  formattedBody: string | null;
  /** The event that a person answered; a client's fallback inside a thread is not one. */
  replyTo: string | null;
  threadRoot: string | null;
  mentions: { users: string[]; room: boolean };
}

export interface About {
  roomId: string;
  eventId: string;
  sender: string;
  /** As the sender's server says. */
  at: Date;
  history: boolean;
}

const text = z.string().optional().catch(undefined);

const Relation = z.object({
  rel_type: text,
  event_id: text,
  key: text,
  is_falling_back: z.boolean().optional().catch(undefined),
  'm.in_reply_to': z.object({ event_id: text }).optional().catch(undefined),
});
type Relation = z.infer<typeof Relation>;

const NewContent = z.object({ body: text, formatted_body: text });
const Content = z.object({
  msgtype: text,
  body: text,
  formatted_body: text,
  key: text,
  reason: text,
  redacts: text,
  membership: text,
  displayname: text,
  'm.new_content': NewContent.optional().catch(undefined),
  'm.relates_to': Relation.optional().catch(undefined),
  'm.mentions': z
    .object({
      user_ids: z.array(z.string()).catch([]).default([]),
      room: z.boolean().catch(false).default(false),
    })
    .optional()
    .catch(undefined),
});
type Content = z.infer<typeof Content>;

/** What an event means. Never throws: what does not fit is `other`. */
export function parseIncoming(row: RawRoomEvent): Incoming {
  const read = Content.safeParse(row.content);
  const content: Content = read.success ? read.data : {};
  const { roomId, eventId, sender, history } = row;
  const about: About = { roomId, eventId, sender, history, at: new Date(row.originServerTs) };
  return meaningOf(row, content, about) ?? { ...about, kind: 'other', type: row.type };
}

function meaningOf(row: RawRoomEvent, content: Content, about: About): Incoming | null {
  switch (row.type) {
    case 'm.room.message':
      return row.stateKey === undefined ? messageOf(content, about) : null;
    case 'm.reaction':
      return reactionOf(content['m.relates_to'], about);
    case 'm.room.redaction':
      return redactionOf(row, content, about);
    case 'm.room.member':
      return membershipOf(row, content, about);
    default:
      return null;
  }
}

function messageOf(content: Content, about: About): Incoming | null {
  const { body, msgtype, 'm.relates_to': relation } = content;
  if (relation?.rel_type === 'm.replace') return editOf(content, relation, about);
  if (body === undefined || msgtype === undefined) return null;
  const mentions = content['m.mentions'];
  return {
    ...about,
    kind: 'text',
    msgtype,
    body,
    ...wordsOf(body, relation),
    formattedBody: content.formatted_body ?? null,
    replyTo: replyOf(relation),
    threadRoot: relation?.rel_type === 'm.thread' ? (relation.event_id ?? null) : null,
    mentions: { users: mentions?.user_ids ?? [], room: mentions?.room ?? false },
  };
}

function wordsOf(body: string, relation: Relation | undefined): SplitBody {
  const isReply = relation?.['m.in_reply_to']?.event_id !== undefined;
  return isReply ? splitReplyFallback(body) : { ownBody: body, quoted: null };
}

function replyOf(relation: Relation | undefined): string | null {
  const isFallback = relation?.rel_type === 'm.thread' && relation.is_falling_back === true;
  return isFallback ? null : (relation?.['m.in_reply_to']?.event_id ?? null);
}

/** An edit without new content is still an edit: its body must never count as a new message. */
function editOf(content: Content, relation: Relation, about: About): Incoming | null {
  if (relation.event_id === undefined) return null;
  const instead = content['m.new_content'];
  return {
    ...about,
    kind: 'edit',
    edits: relation.event_id,
    body: instead?.body ?? content.body ?? '',
    formattedBody: instead?.formatted_body ?? null,
  };
}

function reactionOf(relation: Relation | undefined, about: About): Incoming | null {
  if (relation?.rel_type !== 'm.annotation') return null;
  const { event_id: relatesTo, key } = relation;
  if (relatesTo === undefined || key === undefined || key === '') return null;
  return { ...about, kind: 'reaction', relatesTo, key };
}

/** Room version 11 moved `redacts` into the content. */
function redactionOf(row: RawRoomEvent, content: Content, about: About): Incoming | null {
  const redacts = row.redacts ?? content.redacts;
  if (redacts === undefined) return null;
  return { ...about, kind: 'redaction', redacts, reason: content.reason ?? null };
}

function membershipOf(row: RawRoomEvent, content: Content, about: About): Incoming | null {
  const { membership, displayname } = content;
  if (row.stateKey === undefined || membership === undefined) return null;
  return {
    ...about,
    kind: 'membership',
    user: row.stateKey,
    membership,
    displayName: displayname ?? null,
  };
}
