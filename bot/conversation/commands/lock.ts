import { lockOperator } from '../../../shared/lock-operator.ts';
import { type Command, saying } from './command.ts';

const MATRIX_ID = /^@[^:\s]+:\S+$/;

/** Nothing that this person says decides anything more; only the terminal unlocks. */
export const lock: Command = {
  names: ['lock'],
  usage: 'lock @me:server',
  about: 'nothing of that person decides any more; only the terminal unlocks',
  operatorsOnly: true,
  async run({ deps, row, words }) {
    const [person] = words;
    if (person === undefined || !MATRIX_ID.test(person)) {
      return saying('Name the person: !oikos lock @name:server.');
    }
    if (!(deps.isOperator(person) || deps.isViewer(person))) {
      return saying(`${person} is neither operator nor viewer.`);
    }
    const { sender: by, eventId } = row;
    const closed = await lockOperator(deps, person, { by, eventId });
    return saying(
      closed === null
        ? `${person} is locked already.`
        : `${person} is locked: ${closed.windows} windows and ${closed.cards} cards closed. npm run oikos -- unlock ${person} lets them again.`,
    );
  },
};
