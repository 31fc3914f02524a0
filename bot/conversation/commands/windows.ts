import { readNow } from '../../../shared/db/clock.ts';
import { openWindowsOfRoom, type RoomWindow } from '../../../shared/db/windows.ts';
import { shownObject } from '../../../shared/domain/objects.ts';
import { minutesLeft, timeText } from '../../cards/time-text.ts';
import { type Command, saying } from './command.ts';

/** What an earlier yes still covers, and until when. */
export const windows: Command = {
  names: ['windows'],
  usage: 'windows',
  about: 'what an earlier yes still covers, and until when',
  operatorsOnly: false,
  async run({ deps, text: { roomId } }) {
    const now = await readNow(deps.db);
    const open = await openWindowsOfRoom(deps.db, roomId, now);
    if (open.length === 0) return saying('No window is open: every change asks for your yes.');
    const lines = open.map((window) => `- ${windowLine(window, now, deps.timeZone)}`);
    return saying([...lines, '!oikos revoke closes them all; stop does too.'].join('\n'));
  },
};

export function windowLine(
  { window, taskNumber }: RoomWindow,
  now: Date,
  timeZone: string,
): string {
  const covers =
    window.kind === 'assent'
      ? `further changes of T${taskNumber}`
      : `${window.verb ?? 'work'} on ${shownObject(window.object ?? '')} in T${taskNumber}`;
  return `${covers}, opened by ${window.openedBy}, until ${timeText(window.expiresAt, timeZone)} (${minutesLeft(window.expiresAt, now)} left)`;
}
