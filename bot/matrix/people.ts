import { z } from 'zod';

export interface Person {
  userId: string;
  /** What the person calls itself, freely chosen: never an identity, and to be escaped where shown. */
  displayName: string;
}

export interface PeoplePort {
  /** Everybody who is in the room now, ourselves included. */
  joinedMembers(roomId: string): Promise<Person[]>;
  /** Who is in the room now, ourselves included, and whether a bridge is set up in it. */
  company(roomId: string): Promise<{ members: string[]; bridge: boolean }>;
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

/** One event of a room's state, as far as it says who is there. */
const State = z.array(
  z.object({
    type: z.string(),
    state_key: z.string().catch(''),
    content: z.record(z.string(), z.unknown()).catch({}),
  }),
);
/** What bridges write into the state of the rooms that they serve; emptied when they leave. */
const BRIDGE_STATES = ['m.bridge', 'uk.half-shot.bridge'];

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
    async company(roomId) {
      const path = `/_matrix/client/v3/rooms/${encodeURIComponent(roomId)}/state`;
      const state = State.parse(await client.doRequest('GET', path));
      return {
        members: state
          .filter(
            ({ type, content }) => type === 'm.room.member' && content['membership'] === 'join',
          )
          .map(({ state_key }) => state_key),
        bridge: state.some(
          ({ type, content }) => BRIDGE_STATES.includes(type) && Object.keys(content).length > 0,
        ),
      };
    },
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
