import { z } from 'zod';
import type { OikosMatrixClient } from './client.ts';
import { editOf, type MessageContent, type MessageRelation } from './content.ts';
import { EncryptedRoomError } from './crypto.ts';
import { isFinalRefusal } from './errors.ts';

export interface FileToSend {
  name: string;
  mimetype: string;
  data: Buffer;
  /** What the message says until it is the file, and for ever in clients that edit no files. */
  about: string;
  'm.relates_to'?: MessageRelation;
}

/**
 * What the bot does in a room. Every `txnId` is the caller's own, unique among what it sends: the
 * same one again gives the same event, also after a crash, so a send that failed is repeated as is.
 */
export interface RoomPort {
  /** @returns the event id. @throws EncryptedRoomError, or the homeserver's refusal. */
  send(roomId: string, content: MessageContent, txnId: string): Promise<string>;
  /** Replaces the content of one of our own messages. @returns the id of the edit. */
  edit(roomId: string, eventId: string, content: MessageContent, txnId: string): Promise<string>;
  /** @returns the reaction's id, for taking it back; null if we had reacted so before. */
  react(roomId: string, eventId: string, key: string, txnId: string): Promise<string | null>;
  redact(roomId: string, eventId: string, txnId: string, reason?: string): Promise<string>;
  /** Shown for `forMs`, or until the next message; 0 ends it. */
  typing(roomId: string, forMs: number): Promise<void>;
  /** Says that we have read everything up to this event. */
  receipt(roomId: string, eventId: string): Promise<void>;
  /**
   * Uploads a file and posts it without ringing a phone: as a notice that is edited into it, because
   * no push rule rings for either. A repetition uploads again, but posts only once.
   * @returns the event id of the message that shows it.
   */
  sendFile(roomId: string, file: FileToSend, txnId: string): Promise<string>;
}

const Sent = z.object({ event_id: z.string() });

export function createRoomPort(client: OikosMatrixClient): RoomPort {
  const put = async (path: string, content: object): Promise<string> => {
    const answer: unknown = await client.doRequest('PUT', path, null, content);
    return Sent.parse(answer).event_id;
  };
  const sendEvent = async (roomId: string, type: string, content: object, txnId: string) => {
    const sealed = (await client.roomCrypto.isEncrypted(roomId))
      ? await client.roomCrypto.encrypt(roomId, type, content)
      : { type, content };
    return put(`${pathOf(roomId)}/send/${encode(sealed.type)}/${encode(txnId)}`, sealed.content);
  };
  return {
    send: (roomId, content, txnId) => sendEvent(roomId, 'm.room.message', content, txnId),
    edit: (roomId, eventId, content, txnId) =>
      sendEvent(roomId, 'm.room.message', editOf(eventId, content), txnId),
    // Reactions are never encrypted, in any client.
    react: (roomId, eventId, key, txnId) =>
      unlessDuplicate(
        put(`${pathOf(roomId)}/send/m.reaction/${encode(txnId)}`, {
          'm.relates_to': { rel_type: 'm.annotation', event_id: eventId, key },
        }),
      ),
    redact: (roomId, eventId, txnId, reason) =>
      put(
        `${pathOf(roomId)}/redact/${encode(eventId)}/${encode(txnId)}`,
        reason === undefined ? {} : { reason },
      ),
    typing: async (roomId, forMs) => {
      const path = `${pathOf(roomId)}/typing/${encode(await client.getUserId())}`;
      const state = forMs > 0 ? { typing: true, timeout: forMs } : { typing: false };
      await client.doRequest('PUT', path, null, state);
    },
    receipt: async (roomId, eventId) => {
      await client.doRequest(
        'POST',
        `${pathOf(roomId)}/receipt/m.read/${encode(eventId)}`,
        null,
        {},
      );
    },
    sendFile: async (roomId, file, txnId) => {
      // Uploaded files are not encrypted, so none may reach the homeserver for such a room.
      if (await client.roomCrypto.isEncrypted(roomId)) throw new EncryptedRoomError(roomId);
      const url = await client.uploadContent(file.data, file.mimetype, file.name);
      const notice: MessageContent = {
        msgtype: 'm.notice',
        body: file.about,
        'm.mentions': {},
        ...(file['m.relates_to'] && { 'm.relates_to': file['m.relates_to'] }),
      };
      const eventId = await sendEvent(roomId, 'm.room.message', notice, txnId);
      const edit = editOf(eventId, fileContent(file, url));
      await sendEvent(roomId, 'm.room.message', edit, `${txnId}.file`);
      return eventId;
    },
  };
}

function fileContent(file: FileToSend, url: string) {
  return {
    msgtype: 'm.file',
    body: file.name,
    filename: file.name,
    url,
    info: { mimetype: file.mimetype, size: file.data.length },
  };
}

async function unlessDuplicate(sending: Promise<string>): Promise<string | null> {
  try {
    return await sending;
  } catch (error) {
    if (isFinalRefusal(error) && error.errcode === 'M_DUPLICATE_ANNOTATION') return null;
    throw error;
  }
}

function pathOf(roomId: string): string {
  return `/_matrix/client/v3/rooms/${encode(roomId)}`;
}

function encode(part: string): string {
  return encodeURIComponent(part);
}
