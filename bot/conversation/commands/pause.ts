import { pauseHere, resumeHere } from '../pausing.ts';
import { type Command, saying } from './command.ts';

export const pause: Command = {
  names: ['pause'],
  usage: 'pause',
  about: 'I begin nothing more here until resume; what you say is kept for then',
  operatorsOnly: true,
  run: async ({ deps, text }) => saying(await pauseHere(deps, text)),
};

export const resume: Command = {
  names: ['resume'],
  usage: 'resume',
  about: 'ends a pause',
  operatorsOnly: true,
  run: async ({ deps, text }) => saying(await resumeHere(deps, text)),
};
