import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { createMatrixApi } from '../console/matrix-api.ts';
import { type ConsoleUser, connectUser } from '../console/user.ts';
import { type SynapseService, startSynapse } from '../services/synapse.ts';

/** Kept over starts: other passwords would be of no use to a homeserver that knows these. */
export const secretsSchema = z.object({
  operator_password: z.string().min(1),
  bot_password: z.string().min(1),
  /** Rooms by homeserver. */
  rooms: z.record(z.string(), z.string()).default({}),
});
export type Secrets = z.infer<typeof secretsSchema>;

/** A homeserver with the bot and the operator on it, and a room for both. */
export interface MatrixSide {
  readonly url: string;
  readonly botId: string;
  readonly botToken: string;
  readonly operatorId: string;
  /** Undefined where the operator uses a client of his own. */
  readonly operator: ConsoleUser | undefined;
  readonly roomId: string;
  stop(): Promise<void>;
}

/** An own homeserver was named, and something about it is missing or wrong; one plain line. */
export class HomeserverTrouble extends Error {
  override readonly name = 'HomeserverTrouble';
}

/** fetch says what it means only in the cause. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? error.cause.message : error.message;
}

export function newSecrets(): Secrets {
  const password = () => randomBytes(12).toString('base64url');
  return { operator_password: password(), bot_password: password(), rooms: {} };
}

/** The lab's own Synapse. */
export async function startOwnSynapse(options: {
  readonly dir: string;
  readonly python: string;
  readonly secrets: Secrets;
}): Promise<MatrixSide> {
  const { secrets } = options;
  const synapse = await startSynapse({
    dir: options.dir,
    python: options.python,
    ownGroup: true,
  });
  try {
    return await meet(synapse, secrets);
  } catch (error) {
    await synapse.stop();
    throw error;
  }
}

async function meet(synapse: SynapseService, secrets: Secrets): Promise<MatrixSide> {
  const { url } = synapse;
  await synapse.registerUser('you', secrets.operator_password);
  await synapse.registerUser('nomos', secrets.bot_password);
  const bot = await synapse.login('nomos', secrets.bot_password, 'OIKOSBOT');
  const operator = await connectUser({ url, name: 'you', password: secrets.operator_password });
  const known = secrets.rooms[synapse.serverName];
  const roomId =
    known !== undefined && operator.rooms().includes(known)
      ? known
      : await operator.createRoom({ name: 'Oikos', invite: [bot.userId] });
  return {
    url,
    botId: bot.userId,
    botToken: bot.accessToken,
    operatorId: operator.userId,
    operator,
    roomId,
    async stop() {
      await operator.stop();
      await synapse.stop();
    },
  };
}

const whoAmI = z.object({ user_id: z.string() });
const joinedRooms = z.object({ joined_rooms: z.array(z.string()) });
const roomId = z.object({ room_id: z.string() });

/**
 * A homeserver of the newcomer's own: the bot's account is the one whose token he gives, and he
 * joins its room with his own client.
 * @throws HomeserverTrouble
 */
export async function useHomeserver(options: {
  readonly url: string;
  readonly operatorId: string;
  readonly token: string | undefined;
  readonly knownRoom: string | undefined;
}): Promise<MatrixSide> {
  const { operatorId, token } = options;
  const url = options.url.replace(/\/+$/, '');
  if (!token) {
    throw new HomeserverTrouble(
      'MATRIX_ACCESS_TOKEN is not set: give it the access token of an account that the bot may use (npm run oikos -- matrix login makes one).',
    );
  }
  const api = createMatrixApi({ url, token });
  const ask = async <T>(what: string, request: () => Promise<T>): Promise<T> => {
    try {
      return await request();
    } catch (error) {
      throw new HomeserverTrouble(`${url} did not let the bot ${what}: ${reasonOf(error)}`);
    }
  };
  const bot = await ask('log in', async () => whoAmI.parse(await api('GET', '/account/whoami')));
  const room = await ask('open a room', async () => {
    const joined = joinedRooms.parse(await api('GET', '/joined_rooms')).joined_rooms;
    if (options.knownRoom !== undefined && joined.includes(options.knownRoom)) {
      return options.knownRoom;
    }
    const wish = { preset: 'private_chat', name: 'Oikos demo', invite: [operatorId] };
    return roomId.parse(await api('POST', '/createRoom', wish)).room_id;
  });
  return {
    url,
    botId: bot.user_id,
    botToken: token,
    operatorId,
    operator: undefined,
    roomId: room,
    stop: async () => undefined,
  };
}
