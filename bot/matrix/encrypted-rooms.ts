import { MatrixError } from 'matrix-bot-sdk';
import type { RawRoomEvent } from './raw-event.ts';

/** Which rooms are encrypted. A room can become so at any time, and never stops being so. */
export interface EncryptedRooms {
  isEncrypted(roomId: string): Promise<boolean>;
  /** Shown every event and every piece of state that a sync brings. */
  note(event: Pick<RawRoomEvent, 'roomId' | 'type' | 'stateKey'>): void;
}

/** `lookUp` reads the room's m.room.encryption state and throws what the homeserver answers. */
export function watchEncryption(lookUp: (roomId: string) => Promise<unknown>): EncryptedRooms {
  const known = new Map<string, boolean>();
  return {
    note({ roomId, type, stateKey }) {
      // Only state counts: anybody in the room can send a message of that type.
      if (type === 'm.room.encryption' && stateKey === '') known.set(roomId, true);
    },
    async isEncrypted(roomId) {
      const remembered = known.get(roomId);
      if (remembered !== undefined) return remembered;
      const found = await isStateThere(() => lookUp(roomId));
      // A sync may have brought the news while we asked.
      if (known.get(roomId) !== true) known.set(roomId, found);
      return known.get(roomId) ?? found;
    },
  };
}

/**
 * Only a real 404 M_NOT_FOUND means "not encrypted". The SDK also throws a MatrixError for a
 * successful answer whose content has a field `errcode`, which a room's admin could write.
 */
async function isStateThere(lookUp: () => Promise<unknown>): Promise<boolean> {
  try {
    await lookUp();
    return true;
  } catch (error) {
    if (!(error instanceof MatrixError)) throw error;
    if (error.statusCode === 200) return true;
    if (error.statusCode === 404 && error.errcode === 'M_NOT_FOUND') return false;
    throw error;
  }
}
