import { z } from 'zod';
import { type Fetched, getMatrix, type MatrixAccess } from './api.ts';

/** A room that the bot is in. */
export interface BotRoom {
  readonly id: string;
  /** Its name as set, chosen by whoever may; undefined where there is none. */
  readonly name: string | undefined;
  readonly members: readonly string[];
  readonly encrypted: boolean;
}

/** A room that waits for the bot to join. */
export interface Invitation {
  readonly id: string;
  readonly by: string | undefined;
}

const joinedRooms = z.object({ joined_rooms: z.array(z.string()) });
const joinedMembers = z.object({ joined: z.record(z.string(), z.unknown()) });
const roomName = z.object({ name: z.string() });
const encryption = z.object({ algorithm: z.string() });
const inviteEvent = z.object({
  type: z.string(),
  sender: z.string(),
  state_key: z.string().optional(),
});
const invites = z.object({
  rooms: z
    .object({
      invite: z
        .record(z.string(), z.object({ invite_state: z.object({ events: z.array(z.unknown()) }) }))
        .default({}),
    })
    .default({ invite: {} }),
});

/** More would only be a long list. */
const MOST_ROOMS = 50;

export async function readRooms(at: MatrixAccess): Promise<Fetched<readonly BotRoom[]>> {
  const list = await getMatrix(at, '/_matrix/client/v3/joined_rooms', joinedRooms);
  if (!list.ok) return list;
  const rooms: BotRoom[] = [];
  for (const id of list.value.joined_rooms.slice(0, MOST_ROOMS)) {
    const room = await readRoom(at, id);
    if (!room.ok) return room;
    rooms.push(room.value);
  }
  return { ok: true, value: rooms };
}

async function readRoom(at: MatrixAccess, id: string): Promise<Fetched<BotRoom>> {
  const path = `/_matrix/client/v3/rooms/${encodeURIComponent(id)}`;
  const members = await getMatrix(at, `${path}/joined_members`, joinedMembers);
  if (!members.ok) return members;
  const name = await getMatrix(at, `${path}/state/m.room.name`, roomName);
  const sealed = await getMatrix(at, `${path}/state/m.room.encryption`, encryption);
  // Only "not found" means "not encrypted" (MATRIX, end-to-end encryption).
  if (!sealed.ok && sealed.status !== 404) return sealed;
  return {
    ok: true,
    value: {
      id,
      name: name.ok ? name.value.name : undefined,
      members: Object.keys(members.value.joined),
      encrypted: sealed.ok,
    },
  };
}

/**
 * Invitations come in a first sync only; its token is thrown away, so that the bot misses nothing.
 * `nonce` makes the request a new one: Synapse answers the same first sync from memory for minutes.
 */
export async function readInvitations(
  at: MatrixAccess,
  userId: string,
  nonce: string,
): Promise<Fetched<readonly Invitation[]>> {
  const filter = encodeURIComponent(JSON.stringify(onlyInvitations(nonce)));
  const path = `/_matrix/client/v3/sync?timeout=0&filter=${filter}`;
  const sync = await getMatrix(at, path, invites);
  if (!sync.ok) return sync;
  const value = Object.entries(sync.value.rooms.invite).map(([id, { invite_state }]) => ({
    id,
    by: inviterIn(invite_state.events, userId),
  }));
  return { ok: true, value };
}

function onlyInvitations(nonce: string): object {
  const nothing = { types: [] };
  return {
    presence: nothing,
    account_data: nothing,
    room: {
      timeline: { limit: 1, types: [], not_types: [nonce] },
      state: nothing,
      ephemeral: nothing,
      account_data: nothing,
    },
  };
}

function inviterIn(events: readonly unknown[], userId: string): string | undefined {
  return events
    .map((event) => inviteEvent.safeParse(event))
    .flatMap((event) => (event.success ? [event.data] : []))
    .find(({ type, state_key }) => type === 'm.room.member' && state_key === userId)?.sender;
}
