import { pauseRoom, resumeRoom } from '../../../shared/db/rooms.ts';
import { type Command, saying } from './command.ts';

/** No turn begins here until `resume`; a turn that runs comes to its end. */
export const pause: Command = {
  names: ['pause'],
  usage: 'pause',
  about: 'I begin nothing more here until !oikos resume; what you say is kept for then',
  operatorsOnly: true,
  async run({ deps, row }) {
    const paused = await pauseRoom(deps.db, row.roomId, row.sender);
    return saying(
      paused
        ? 'Paused: I begin nothing more here until !oikos resume. Cards can still be answered, and stop works.'
        : 'This room is paused already; !oikos resume lets me go on.',
    );
  },
};

export const resume: Command = {
  names: ['resume'],
  usage: 'resume',
  about: 'ends a pause',
  operatorsOnly: true,
  async run({ deps, row }) {
    const resumed = await resumeRoom(deps.db, row.roomId, row.sender);
    return saying(resumed ? 'I go on.' : 'This room was not paused.');
  },
};
