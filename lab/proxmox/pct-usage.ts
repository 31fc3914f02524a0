/** The commands of pct, their arguments and options, and what pct says when called wrongly. Pure. */
import { type Answer, refused } from './answer.ts';
import { expandPrefix, type OptionKinds, parseArguments, readBoolean } from './options.ts';

/** All that the real pct knows; the lab answers those of PCT_SHAPES. */
export const PCT_COMMANDS = [
  'clone',
  'config',
  'console',
  'cpusets',
  'create',
  'delsnapshot',
  'destroy',
  'df',
  'enter',
  'exec',
  'fsck',
  'fstrim',
  'help',
  'list',
  'listsnapshot',
  'migrate',
  'mount',
  'move-volume',
  'pending',
  'pull',
  'push',
  'reboot',
  'remote-migrate',
  'rescan',
  'resize',
  'restore',
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
  'unmount',
] as const;

interface Shape {
  readonly usage: string;
  readonly needsVmid: boolean;
  readonly options: OptionKinds;
}

const byId = (options: OptionKinds = {}, usage = '<vmid> [OPTIONS]'): Shape => ({
  usage,
  needsVmid: true,
  options,
});

export const PCT_SHAPES: Readonly<Record<string, Shape>> = {
  list: { usage: '', needsVmid: false, options: {} },
  status: byId({ verbose: 'flag' }),
  config: byId({ current: 'flag', snapshot: 'value' }),
  exec: byId({ 'keep-env': 'flag' }, '<vmid> [<extra-args>] [OPTIONS]'),
  start: byId({ debug: 'flag', skiplock: 'flag' }),
  stop: byId({ skiplock: 'flag', 'overrule-shutdown': 'flag' }),
  shutdown: byId({ forceStop: 'flag', timeout: 'value' }),
  reboot: byId({ timeout: 'value' }),
  destroy: byId({ force: 'flag', purge: 'flag', 'destroy-unreferenced-disks': 'flag' }),
  unlock: byId({}, '<vmid>'),
};

export interface PctCall {
  readonly command: string;
  readonly vmid: number;
  /** The words of `exec` behind the vmid. */
  readonly extra: readonly string[];
  readonly options: Readonly<Record<string, string>>;
}

/** A call that can be carried out, or what pct answers instead. */
export function readPctCall(args: readonly string[]): PctCall | Answer {
  const [given = '', ...rest] = args;
  const command = expandPrefix(given, PCT_COMMANDS);
  if (given === '') return refused(`ERROR: no command specified\n${usageList()}`);
  if (command === undefined) {
    const begun = PCT_COMMANDS.some((name) => name.startsWith(given));
    return refused(
      `ERROR: ${begun ? 'incomplete' : 'unknown'} command 'pct ${given}'\n${usageList()}`,
    );
  }
  const shape = PCT_SHAPES[command];
  if (!shape) return refused(`pct ${command}: not in this lab`);
  return readCall(command, shape, rest);
}

function readCall(command: string, shape: Shape, args: readonly string[]): PctCall | Answer {
  const usage = `pct ${command} ${shape.usage}`.trimEnd();
  const parsed = parseArguments(args, shape.options);
  if (!parsed.ok) return refused(`${parsed.message}\n${usage}`, parsed.code);
  const words = [...parsed.positionals, ...(parsed.rest ?? [])];
  const [id, ...extra] = words;
  if (shape.needsVmid && id === undefined) return refused(`400 not enough arguments\n${usage}`, 2);
  if (extra.length > 0 && command !== 'exec') {
    return refused(`400 too many arguments\n${usage}`, 2);
  }
  const wrong = invalidParameter(shape, id, parsed.options);
  if (wrong) return refused(`400 Parameter verification failed.\n${wrong}\n\n${usage}`);
  return { command, vmid: Number(id), extra, options: parsed.options };
}

function invalidParameter(
  shape: Shape,
  id: string | undefined,
  options: Readonly<Record<string, string>>,
): string | undefined {
  if (shape.needsVmid && !/^[1-9][0-9]{2,8}$/.test(id ?? '')) {
    return 'vmid: invalid format - value does not look like a valid VM ID';
  }
  for (const [name, value] of Object.entries(options)) {
    if (shape.options[name] === 'flag' && readBoolean(value) === undefined) {
      return `${name}: type check ('boolean') failed - got '${value}'`;
    }
    if (name === 'timeout' && !/^\d+$/.test(value)) {
      return `timeout: type check ('integer') failed - got '${value}'`;
    }
  }
  return undefined;
}

function usageList(): string {
  const lines = Object.entries(PCT_SHAPES).map(([name, { usage }]) =>
    `       pct ${name} ${usage}`.trimEnd(),
  );
  return ['USAGE: pct <COMMAND> [ARGS] [OPTIONS]', ...lines].join('\n');
}
