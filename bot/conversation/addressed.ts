import { eventById, lastMessagesBefore } from '../../shared/db/inbox.ts';
import { roomById } from '../../shared/db/rooms.ts';
import { taskOfThread } from '../../shared/db/tasks.ts';
import { localPart } from '../../shared/domain/matrix-id.ts';
import { BOT_NAMES } from '../assent/normalize.ts';
import type { ConversationDeps } from './deps.ts';
import { isEdit, markOf } from './marks.ts';
import type { Place } from './places.ts';
import type { IncomingText } from './ports.ts';
import { asksSomething } from './question.ts';

type Deps = Pick<ConversationDeps, 'db' | 'userId'>;

/**
 * Whether talk is meant for us. With one other person in the room, or in an ops room, all of it is;
 * among several people what mentions, names or answers us, and what is said in a task's thread.
 * Decisions, stop and commands do not ask this.
 */
export async function isForUs(deps: Deps, text: IncomingText, place: Place): Promise<boolean> {
  const room = await roomById(deps.db, text.roomId);
  // Nobody is left without an answer because the others could not be counted.
  if (!room || room.ops || room.people === null || room.people <= 1) return true;
  return (
    addresses(text, deps.userId) ||
    (await isInTask(deps, text, place)) ||
    (await answersUs(deps, text))
  );
}

/** By a mention, or by one of our names as a word of its own. */
export function addresses(
  { body, formattedBody, mentions }: Pick<IncomingText, 'body' | 'formattedBody' | 'mentions'>,
  userId: string,
): boolean {
  if (mentions?.includes(userId) || body.includes(userId)) return true;
  const link = `https://matrix.to/#/${userId}`;
  const links = [link, `https://matrix.to/#/${encodeURIComponent(userId)}`];
  if (links.some((one) => formattedBody?.includes(one))) return true;
  const words = body.toLowerCase().split(/[^\p{L}\p{N}_-]+/u);
  return [...BOT_NAMES, localPart(userId)].some((name) => words.includes(name.toLowerCase()));
}

async function isInTask({ db }: Deps, { roomId }: IncomingText, place: Place): Promise<boolean> {
  if (place.kind === 'main') return false;
  return place.kind === 'task' || (await taskOfThread(db, roomId, place.root)) !== undefined;
}

/** A reply to something of ours, or the next words after we asked this person something. */
async function answersUs({ db, userId }: Deps, text: IncomingText): Promise<boolean> {
  const { roomId, replyTo, seq, sender } = text;
  if (replyTo !== undefined) {
    const answered = await eventById(db, replyTo);
    return answered?.sender === userId && answered.roomId === roomId;
  }
  const [last] = (await lastMessagesBefore(db, roomId, seq)).filter((row) => !isEdit(row.content));
  if (last?.sender !== userId || markOf(last.content)?.kind !== 'answer') return false;
  const { body, 'm.mentions': mentioned } = last.content;
  const asked = typeof body === 'string' && asksSomething(body);
  return asked && JSON.stringify(mentioned ?? null).includes(JSON.stringify(sender));
}
