import type { CommandCall, CommandReply } from './command.ts';
import { saying } from './command.ts';
import { COMMANDS, findCommand, helpText } from './table.ts';

const MARK = /^!oikos(?:\s+|$)/i;

export function isCommand(body: string): boolean {
  return MARK.test(body.trim());
}

/** Answers `!oikos …`. `operator`: whether the sender may decide things in this room. */
export async function answerCommand(
  call: Omit<CommandCall, 'rest' | 'words'>,
  operator: boolean,
): Promise<CommandReply> {
  const line = call.text.body.trim().replace(MARK, '');
  const [, name = 'help', rest = ''] = /^(\S+)\s*([\s\S]*)$/.exec(line) ?? [];
  const command = findCommand(name.toLowerCase());
  if (!command) return saying(`I know no command "${name.slice(0, 40)}".\n${helpText(COMMANDS)}`);
  if (command.operatorsOnly && !operator) {
    return saying(`!oikos ${command.names[0]} is for operators, in a room on their list.`);
  }
  const words = rest.split(/\s+/).filter((word) => word !== '');
  return command.run({ ...call, rest: rest.trim(), words });
}
