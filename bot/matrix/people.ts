import { z } from 'zod';

export interface PeoplePort {
  /** Who is in the room now, ourselves included, and whether a bridge is set up in it. */
  company(roomId: string): Promise<{ members: string[]; bridge: boolean }>;
}

/** The part of the client that this needs. */
export interface PeopleClient {
  doRequest(method: 'GET', path: string): Promise<unknown>;
}

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
  return {
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
  };
}
