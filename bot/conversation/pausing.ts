import { pauseRoom, resumeRoom, roomById } from '../../shared/db/rooms.ts';
import { pauseWord } from '../assent/assent.ts';
import type { ConversationDeps } from './deps.ts';
import type { IncomingText } from './ports.ts';

/** No turn begins in the room until it is resumed; a turn that runs comes to its end. */
export async function pauseHere(
  { db }: Pick<ConversationDeps, 'db'>,
  { roomId, sender }: Pick<IncomingText, 'roomId' | 'sender'>,
): Promise<string> {
  const paused = await pauseRoom(db, roomId, sender);
  return paused
    ? 'Paused: I begin nothing more here until you say resume. Cards can still be answered, and stop works.'
    : 'This room is paused already; resume lets me go on.';
}

export async function resumeHere(
  { db }: Pick<ConversationDeps, 'db'>,
  { roomId, sender }: Pick<IncomingText, 'roomId' | 'sender'>,
): Promise<string> {
  return (await resumeRoom(db, roomId, sender)) ? 'I go on.' : 'This room was not paused.';
}

/**
 * The lone words "pause" and "resume"; undefined where they say something else: as a reply "pause" is
 * about that card, and in a room that is not paused "resume" is talk: it never is a yes, for the same
 * event may be handled once more after the room was resumed.
 */
export async function pauseByWord(
  deps: Pick<ConversationDeps, 'db'>,
  text: IncomingText,
): Promise<string | undefined> {
  const word = text.replyTo === undefined ? pauseWord(text.body) : undefined;
  if (word === undefined) return undefined;
  const isPaused = (await roomById(deps.db, text.roomId))?.pausedAt != null;
  if (word === 'resume') return isPaused ? resumeHere(deps, text) : undefined;
  return pauseHere(deps, text);
}
