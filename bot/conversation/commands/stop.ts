import { stopPlace } from '../stopping.ts';
import { type Command, saying } from './command.ts';

/** The word `stop` with the command's mark. */
export const stop: Command = {
  names: ['stop'],
  usage: 'stop',
  about: 'the same as the word stop',
  operatorsOnly: true,
  run: async ({ deps, row, place }) => saying(await stopPlace(deps, row, place)),
};
