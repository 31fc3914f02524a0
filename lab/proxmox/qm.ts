/** `qm`: the lab has no virtual machines, and says so as the real tool does. */
import { type Answer, refused, SILENT } from './answer.ts';
import { expandPrefix } from './options.ts';
import { configPath } from './store.ts';

const QM_COMMANDS = [
  'agent',
  'clone',
  'config',
  'create',
  'delsnapshot',
  'destroy',
  'guest',
  'list',
  'listsnapshot',
  'migrate',
  'pending',
  'reboot',
  'reset',
  'resume',
  'rollback',
  'set',
  'shutdown',
  'snapshot',
  'start',
  'status',
  'stop',
  'suspend',
  'template',
  'unlock',
] as const;

export function qm(args: readonly string[]): Answer {
  const [given = ''] = args;
  const command = expandPrefix(given, QM_COMMANDS);
  if (command === undefined) {
    const begun = given !== '' && QM_COMMANDS.some((name) => name.startsWith(given));
    return refused(
      `ERROR: ${begun ? 'incomplete' : 'unknown'} command 'qm ${given}'\nUSAGE: qm <COMMAND> [ARGS] [OPTIONS]`,
    );
  }
  if (command === 'list') return SILENT;
  const id = args.slice(1).find((word) => !word.startsWith('-'));
  if (id === undefined) return refused(`400 not enough arguments\nqm ${command} <vmid>`, 2);
  if (!/^[1-9][0-9]{2,8}$/.test(id)) {
    return refused(
      `400 Parameter verification failed.\nvmid: invalid format - value does not look like a valid VM ID\n\nqm ${command} <vmid>`,
    );
  }
  return refused(`Configuration file '${configPath(Number(id), 'qemu-server')}' does not exist`, 2);
}
