import type { RawRoomEvent } from './raw-event.ts';

/** What a room needs from encryption. End-to-end encryption will be a second implementation. */
export interface RoomCrypto {
  /** @throws when it cannot be learned: not knowing never means "not encrypted". */
  isEncrypted(roomId: string): Promise<boolean>;
  /** Called for encrypted rooms only. */
  encrypt(
    roomId: string,
    type: string,
    content: object,
  ): Promise<{ type: string; content: object }>;
  /** Gives an event that it cannot decrypt back as it is. */
  decrypt(event: RawRoomEvent): Promise<RawRoomEvent>;
}

export class EncryptedRoomError extends Error {
  override readonly name = 'EncryptedRoomError';
  readonly roomId: string;
  constructor(roomId: string) {
    super(`${roomId} is encrypted and this bot has no encryption: nothing was sent into it`);
    this.roomId = roomId;
  }
}

/** No encryption: never sends plain text into a room whose people believe that it is encrypted. */
export function plainRooms(isEncrypted: (roomId: string) => Promise<boolean>): RoomCrypto {
  return {
    isEncrypted,
    encrypt: (roomId) => Promise.reject(new EncryptedRoomError(roomId)),
    decrypt: (event) => Promise.resolve(event),
  };
}
