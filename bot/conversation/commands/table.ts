import { approve, deny } from './approve.ts';
import type { Command } from './command.ts';
import { deleteTask } from './delete-task.ts';
import { lock } from './lock.ts';
import { newTask } from './new-task.ts';
import { pause, resume } from './pause.ts';
import { revoke } from './revoke.ts';
import { room } from './room.ts';
import { rules } from './rules.ts';
import { run } from './run.ts';
import { show } from './show.ts';
import { status } from './status.ts';
import { stop } from './stop.ts';
import { tasks } from './tasks.ts';
import { why } from './why.ts';
import { windows } from './windows.ts';

const help: Command = {
  names: ['help'],
  usage: 'help',
  about: 'shows this',
  operatorsOnly: false,
  run: () => ({ text: helpText(COMMANDS) }),
};

/** Every command, in the order in which help shows them. */
export const COMMANDS: readonly Command[] = [
  status,
  tasks,
  show,
  why,
  approve,
  deny,
  run,
  windows,
  rules,
  revoke,
  stop,
  pause,
  resume,
  newTask,
  deleteTask,
  room,
  lock,
  help,
];

export function findCommand(name: string): Command | undefined {
  return COMMANDS.find(({ names }) => names.includes(name));
}

export function helpText(commands: readonly Command[]): string {
  return [
    'Talk to me in plain words: I inspect at once and ask before I change anything.',
    '- A card waits for your yes: say yes or go ahead right after it, react 👍, or reply to it. No or 👎 denies.',
    '- A card that destroys something starts only by the sentence it prints.',
    '- stop ends everything in this room: running commands, queued ones, waiting cards, open windows.',
    '- always allow #4, after #4 ran well, lets it run at once from then on; !oikos rules shows what is allowed, !oikos revoke R1 ends it.',
    '- pause lets me begin nothing more here, resume lets me go on.',
    '- oops or undo right after a yes takes it back.',
    ...commands.map(({ usage, about }) => `- !oikos ${usage}: ${about}`),
  ].join('\n');
}
