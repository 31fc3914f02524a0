import { answerRules } from '../rules-commands.ts';
import { type Command, saying } from './command.ts';

/** What standing rules let run unasked. */
export const rules: Command = {
  names: ['rules'],
  usage: 'rules',
  about: 'what runs unasked from now on, because "always allow #4" was said',
  operatorsOnly: false,
  run: async ({ deps }) => saying(await answerRules(deps)),
};
