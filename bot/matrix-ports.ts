import type { InboxRow } from '../shared/db/inbox.ts';
import type { Incoming, MessageContent, RoomPort } from './conversation/ports.ts';
import {
  fitsInMessage,
  threadRelation,
  type MessageContent as WireContent,
} from './matrix/content.ts';
import { parseIncoming } from './matrix/incoming.ts';
import type { PeoplePort } from './matrix/people.ts';
import type { RoomPort as MatrixRoom } from './matrix/room.ts';

const TYPING_MS = 30_000;
/** What is left of a body that no event could carry; the whole is kept in the database. */
const CUT_CHARACTERS = 8_000;

/** The conversation's room, on Matrix. */
export function roomPort(matrix: MatrixRoom, people: Pick<PeoplePort, 'company'>): RoomPort {
  return {
    company: (roomId) => people.company(roomId),
    fits: fitsInMessage,
    send: (roomId, content, txnId) => matrix.send(roomId, fitted(content), txnId),
    edit: (roomId, eventId, content, txnId) => matrix.edit(roomId, eventId, fitted(content), txnId),
    attach: (roomId, { name, text, about, thread }, txnId) =>
      matrix.sendFile(
        roomId,
        {
          name,
          mimetype: 'text/plain',
          data: Buffer.from(text, 'utf8'),
          about,
          ...(thread !== null && { 'm.relates_to': threadRelation(thread.root, thread.replyTo) }),
        },
        txnId,
      ),
    react: (roomId, eventId, key, txnId) => matrix.react(roomId, eventId, key, txnId),
    typing: (roomId, on) => matrix.typing(roomId, on ? TYPING_MS : 0),
    receipt: (roomId, eventId) => matrix.receipt(roomId, eventId),
  };
}

function fitted(content: MessageContent): WireContent {
  // The two types differ in `readonly` alone.
  const wire = structuredClone(content) as WireContent;
  if (fitsInMessage(wire)) return wire;
  const { format: _format, formatted_body: _html, ...plain } = wire;
  const head = Array.from(plain.body).slice(0, CUT_CHARACTERS).join('');
  return { ...plain, body: `${head}\n[… too long for one message; the rest was left out]` };
}

/** An inbox row as the conversation reads it. */
export function incomingOf(row: InboxRow): Incoming {
  const parsed = parseIncoming({
    roomId: row.roomId,
    eventId: row.eventId,
    sender: row.sender,
    type: row.type,
    content: row.content,
    originServerTs: row.originTs.getTime(),
    history: row.status === 'history',
    gap: false,
    ...(row.stateKey !== null && { stateKey: row.stateKey }),
    ...(row.redacts !== null && { redacts: row.redacts }),
  });
  const { roomId, eventId, sender, at } = parsed;
  const { seq, receivedAt } = row;
  const envelope = { seq, roomId, eventId, sender, at, receivedAt };
  if (parsed.kind === 'text') {
    return {
      ...envelope,
      kind: 'text',
      msgtype: parsed.msgtype,
      body: parsed.ownBody,
      formattedBody: parsed.formattedBody ?? undefined,
      replyTo: parsed.replyTo ?? undefined,
      threadRoot: parsed.threadRoot ?? undefined,
      mentions: parsed.mentions.users,
    };
  }
  if (parsed.kind === 'reaction') {
    return { ...envelope, kind: 'reaction', key: parsed.key, relatesTo: parsed.relatesTo };
  }
  if (parsed.kind === 'edit') return { ...envelope, kind: 'take_back', of: parsed.edits };
  if (parsed.kind === 'redaction') return { ...envelope, kind: 'take_back', of: parsed.redacts };
  return { ...envelope, kind: 'other' };
}
