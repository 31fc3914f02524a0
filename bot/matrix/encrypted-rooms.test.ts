import { MatrixError } from 'matrix-bot-sdk';
import { describe, expect, it } from 'vitest';
import { EncryptedRoomError, plainRooms } from './crypto.ts';
import { watchEncryption } from './encrypted-rooms.ts';

const notFound = new MatrixError({ errcode: 'M_NOT_FOUND', error: '' }, 404);
const forbidden = new MatrixError({ errcode: 'M_FORBIDDEN', error: '' }, 403);
const fromProxy = new MatrixError({ errcode: 'M_NOT_FOUND', error: '' }, 502);
const forged = new MatrixError({ errcode: 'M_NOT_FOUND', error: '' }, 200);

const encryption = { roomId: '!r', type: 'm.room.encryption', stateKey: '' };

describe('whether a room is encrypted', () => {
  it.each([
    [
      'yes when its state says so',
      () => Promise.resolve({ algorithm: 'm.megolm.v1.aes-sha2' }),
      true,
    ],
    ['no when it has no such state', () => Promise.reject(notFound), false],
    ['yes when its state only looks like an error', () => Promise.reject(forged), true],
  ])('%s', async (_claim, lookUp, expected) => {
    expect(await watchEncryption(lookUp).isEncrypted('!r')).toBe(expected);
  });

  it.each([[forbidden], [fromProxy], [new TypeError('fetch failed')]])(
    'stays unknown after %s',
    async (error) => {
      const rooms = watchEncryption(() => Promise.reject(error));
      await expect(rooms.isEncrypted('!r')).rejects.toBe(error);
    },
  );

  it('is asked once, and changes when a sync brings encryption', async () => {
    let asked = 0;
    const rooms = watchEncryption(() => {
      asked += 1;
      return Promise.reject(notFound);
    });
    expect([await rooms.isEncrypted('!r'), await rooms.isEncrypted('!r'), asked]).toEqual([
      false,
      false,
      1,
    ]);
    rooms.note(encryption);
    expect(await rooms.isEncrypted('!r')).toBe(true);
  });

  it('is not changed by a message that only has the type of that state', async () => {
    const rooms = watchEncryption(() => Promise.reject(notFound));
    rooms.note({ roomId: '!r', type: 'm.room.encryption' });
    expect(await rooms.isEncrypted('!r')).toBe(false);
  });

  it('is not forgotten when the news arrives during the question', async () => {
    const rooms = watchEncryption(async () => {
      rooms.note(encryption);
      throw notFound;
    });
    expect([await rooms.isEncrypted('!r'), await rooms.isEncrypted('!r')]).toEqual([true, true]);
  });
});

it('refuses to send into an encrypted room', async () => {
  const crypto = plainRooms(async () => true);
  await expect(crypto.encrypt('!r', 'm.room.message', {})).rejects.toBeInstanceOf(
    EncryptedRoomError,
  );
});
