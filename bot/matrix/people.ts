import { z } from 'zod';

export interface Person {
  userId: string;
  /** What the person calls itself, freely chosen: never an identity, and to be escaped where shown. */
  displayName: string;
}

export interface PeoplePort {
  /** Everybody who is in the room now, ourselves included. */
  joinedMembers(roomId: string): Promise<Person[]>;
  /** The name shown for a person in this room; the local part of the id where there is none. */
  displayName(roomId: string, userId: string): Promise<string>;
  isEncrypted(roomId: string): Promise<boolean>;
}

/** The part of the client that this needs. */
export interface PeopleClient {
  doRequest(method: 'GET', path: string): Promise<unknown>;
  isRoomEncrypted(roomId: string): Promise<boolean>;
}

const Members = z.object({
  joined: z.record(z.string(), z.object({ display_name: z.string().nullish().catch(null) })),
});

export function createPeople(client: PeopleClient): PeoplePort {
  const joinedMembers = async (roomId: string): Promise<Person[]> => {
    const path = `/_matrix/client/v3/rooms/${encodeURIComponent(roomId)}/joined_members`;
    const { joined } = Members.parse(await client.doRequest('GET', path));
    return Object.entries(joined).map(([userId, { display_name }]) => ({
      userId,
      displayName: display_name?.trim() || localPart(userId),
    }));
  };
  return {
    joinedMembers,
    async displayName(roomId, userId) {
      const members = await joinedMembers(roomId);
      return members.find((person) => person.userId === userId)?.displayName ?? localPart(userId);
    },
    isEncrypted: (roomId) => client.isRoomEncrypted(roomId),
  };
}

/** `op` for `@op:example.org`. */
export function localPart(userId: string): string {
  return /^@([^:]+):/.exec(userId)?.[1] ?? userId;
}
