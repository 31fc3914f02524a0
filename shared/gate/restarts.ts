import { type Command, forEachChild, type Statement, type SyntaxNode } from 'unbash';
import { clearScript, staticWords } from './argv.ts';

/** What must have come about before a command that takes a machine down has done its work. */
export interface ExpectedRestart {
  readonly awaits: 'reboot' | 'off';
  /** The target itself, or the guest of it that the command names. */
  readonly place: 'target' | `lxc/${string}` | `vm/${string}`;
  /** Nothing stands before it that takes time or changes anything: once started, it is reached. */
  readonly alone: boolean;
}

interface Found extends ExpectedRestart {
  /** Steps before it decide whether it is reached: only the line's exit code tells. */
  readonly conditional: boolean;
}

type Shell = 'bash' | 'posix';
type Step = Statement['command'];

/**
 * The restart that a command line ends with, for certain: its last step takes the target, or a guest
 * that it names, down. Undefined where that depends on anything (`||`, `if`, a word decided at run
 * time), where it is put off to later, or where it happens on another machine.
 */
export function expectedRestart(command: string, shell: Shell): ExpectedRestart | undefined {
  const found = ofLine(command, shell);
  return found && { awaits: found.awaits, place: found.place, alone: found.alone };
}

function ofLine(command: string, shell: Shell): Found | undefined {
  const script = clearScript(command, shell);
  return script && ofLast(script.commands);
}

/** Steps behind it that wait for nothing and decide nothing. */
const IDLE = /^(exit|sleep|true|:|wait|echo)( |$)/;
/** Steps before it that are over within its patience, and leave nothing. */
const FLEETING = /^(echo|true|:|sync)( |$)|^sleep [1-5]?\d(\.\d+)?s?$/;

/** Its exit code is all that tells of a condition: nothing behind it may hide that. */
function ofLast(statements: readonly Statement[]): Found | undefined {
  const at = statements.findLastIndex(({ command }) => !isPlain(command, IDLE));
  const last = statements[at];
  const found = last && ofStep(last.command);
  if (!found) return undefined;
  if (found.conditional && at < statements.length - 1) return undefined;
  // In the background the line is over before the steps are.
  if (last.background && !found.alone) return undefined;
  const earlier = statements.slice(0, at);
  return afterSteps(found, earlier, ({ command }) => isPlain(command, FLEETING));
}

function afterSteps<T extends SyntaxNode>(
  found: Found,
  steps: readonly T[],
  isFleeting: (step: T) => boolean,
): Found | undefined {
  if (steps.some(mayLeave)) return undefined;
  return { ...found, alone: found.alone && steps.every(isFleeting) };
}

function isPlain(step: Step, pattern: RegExp): boolean {
  if (step.type !== 'Command' || step.prefix.length > 0 || step.redirects.length > 0) return false;
  return pattern.test(staticWords(step)?.join(' ') ?? '');
}

/** What ends the line in front of the restart, or gives its words another meaning. */
const LEAVES = /^(exit|return|exec|source|\.|eval|trap|alias|builtin)$/;

function mayLeave(node: SyntaxNode): boolean {
  if (node.type === 'Function') return true;
  if (node.type === 'Command' && node.name) {
    const { parts, value } = node.name;
    if (parts !== undefined || LEAVES.test(value)) return true;
  }
  let leaves = false;
  forEachChild(node, (child) => {
    leaves ||= mayLeave(child);
  });
  return leaves;
}

function ofStep(step: Step): Found | undefined {
  switch (step.type) {
    case 'Command':
      return ofCommand(step);
    case 'AndOr': {
      const at = step.commands.findLastIndex((one) => !isPlain(one, IDLE));
      const last = step.commands[at];
      const certain = step.operators.every((operator) => operator === '&&');
      const found = last && certain ? ofStep(last) : undefined;
      if (!found) return undefined;
      const isFleeting = (one: Step) => isPlain(one, FLEETING);
      const earlier = step.commands.slice(0, at);
      const conditional = found.conditional || !earlier.every(isFleeting);
      return afterSteps({ ...found, conditional }, earlier, isFleeting);
    }
    case 'Subshell':
    case 'BraceGroup':
      return ofLast(step.body.commands);
    case 'Redirected':
      return ofStep(step.command);
    default:
      return undefined;
  }
}

function ofCommand(command: Command): Found | undefined {
  const words = staticWords(command);
  return words && ofWords(words);
}

/** The system's own tools; another one of that name may do anything. */
const SYSTEM_PATH = /^(\/usr(\/local)?)?\/s?bin\//;

function ofWords(words: readonly string[]): Found | undefined {
  const [path = '', ...args] = words;
  const program = path.replace(SYSTEM_PATH, '');
  const wrapper = WRAPPERS.get(program);
  if (wrapper) return ofWrapped(wrapper, args);
  switch (program) {
    case 'sh':
    case 'bash':
    case 'dash':
      return args[0] === '-c' && args.length === 2 && args[1] !== undefined
        ? ofLine(args[1], program === 'bash' ? 'bash' : 'posix')
        : undefined;
    case 'pct':
      return ofPct(args);
    case 'lxc-attach':
      return args[0] === '-n' && args[2] === '--' ? inGuest(args[1], args.slice(3)) : undefined;
    case 'qm':
      return args[0] === 'reboot' ? ofGuest('vm', args[1]) : undefined;
    case 'pvesh':
      return ofPvesh(args);
    default:
      return restart(OWN.get(program)?.(args), 'target');
  }
}

function restart(awaits: Awaits, place: ExpectedRestart['place']): Found | undefined {
  return awaits && { awaits, place, alone: true, conditional: false };
}

interface Wrapper {
  /** Options that leave the next word alone; with any other one the wrapped command may not run here. */
  readonly flags: RegExp;
  /** Options that take the next word. */
  readonly valued: RegExp;
  /** It may be over before what it wraps is. */
  readonly detaches?: true;
}

const NONE = /^$/;
const WRAPPERS = new Map<string, Wrapper>(
  Object.entries({
    sudo: { flags: /^(-[nEHS]+|--non-interactive|\w+=.*)$/, valued: /^-[nEHS]*[ug]$/ },
    env: { flags: /^(-i?|--ignore-environment|\w+=.*)$/, valued: /^-[uC]$/ },
    nohup: { flags: NONE, valued: NONE },
    setsid: { flags: /^(-[fwc]+|--fork|--wait|--ctty)$/, valued: NONE, detaches: true },
    exec: { flags: NONE, valued: NONE },
    command: { flags: /^-p$/, valued: NONE },
    nice: { flags: /^(-n?-?\d+|--adjustment=-?\d+)$/, valued: /^-n$/ },
    ionice: { flags: /^(-t|-[cn]\d)$/, valued: /^-[cn]$/ },
  }),
);

function ofWrapped(wrapper: Wrapper, args: readonly string[]): Found | undefined {
  const at = operandsAt(args, wrapper);
  const inner = at === undefined ? undefined : ofWords(args.slice(at));
  return wrapper.detaches && !inner?.alone ? undefined : inner;
}

/** Where the wrapped command begins: behind options and assignments. */
function operandsAt(args: readonly string[], { flags, valued }: Wrapper): number | undefined {
  let at = 0;
  for (let word = args[at]; word !== undefined; word = args[at]) {
    if (word === '--') return at + 1;
    if (valued.test(word)) at += 2;
    else if (flags.test(word)) at += 1;
    else return word.startsWith('-') ? undefined : at;
  }
  return undefined;
}

function ofPct(args: readonly string[]): Found | undefined {
  const [verb, id, ...rest] = args;
  if (verb === 'reboot') return ofGuest('lxc', id);
  if (verb !== 'exec') return undefined;
  const own = rest[0] === '--keep-env' ? rest.slice(2) : rest;
  return inGuest(id, own[0] === '--' ? own.slice(1) : own);
}

function inGuest(id: string | undefined, words: readonly string[]): Found | undefined {
  const found = ofWords(words);
  const guest = found?.place === 'target' ? ofGuest('lxc', id) : undefined;
  return found && guest && { ...found, place: guest.place };
}

function ofGuest(kind: 'lxc' | 'vm', id: string | undefined): Found | undefined {
  return /^[1-9]\d{2,8}$/.test(id ?? '') ? restart('reboot', `${kind}/${id}`) : undefined;
}

const GUEST_REBOOT = /^\/nodes\/[^/]+\/(lxc|qemu)\/(\d+)\/status\/reboot\/?$/;

/** The whole host only by the name that is always its own: another node is another machine. */
function ofPvesh([verb, path = '', ...rest]: readonly string[]): Found | undefined {
  if (verb !== 'create') return undefined;
  const [, kind, id] = GUEST_REBOOT.exec(path) ?? [];
  if (kind !== undefined) return ofGuest(kind === 'lxc' ? 'lxc' : 'vm', id);
  if (!/^\/nodes\/localhost\/status\/?$/.test(path)) return undefined;
  const wish = /^--?command[ =](reboot|shutdown)$/.exec(rest.join(' '))?.[1];
  return wish === undefined ? undefined : restart(wish === 'reboot' ? 'reboot' : 'off', 'target');
}

type Awaits = ExpectedRestart['awaits'] | undefined;

/** The tools that take down the very machine that they run on. */
const OWN = new Map<string, (args: readonly string[]) => Awaits>(
  Object.entries({
    reboot: (args) => byOptions(args, 'reboot'),
    poweroff: (args) => byOptions(args, 'off'),
    halt: (args) => byOptions(args, 'off'),
    shutdown: ofShutdown,
    systemctl: ofSystemctl,
    init: ofRunlevel,
    telinit: ofRunlevel,
    kexec: (args) => (args.join(' ') === '-e' ? 'reboot' : undefined),
  }),
);

function byOptions(args: readonly string[], usual: Awaits): Awaits {
  let awaits = usual;
  for (const arg of args) {
    if (arg === '--reboot') awaits = 'reboot';
    else if (/^(-p|--poweroff|--halt)$/.test(arg)) awaits = 'off';
    else if (!/^(-[fndh]+|--force|--no-wall|--no-sync|--no-wtmp)$/.test(arg)) return undefined;
  }
  return awaits;
}

/** Only what happens within a minute or so: what is put off is done when it has been put off. */
function ofShutdown(args: readonly string[]): Awaits {
  const options = args.filter((arg) => arg.startsWith('-'));
  const [when = '+1'] = args.filter((arg) => !arg.startsWith('-'));
  if (!/^(now|\+?[01])$/.test(when)) return undefined;
  if (!options.every((option) => /^(-[rhPH]+|--reboot|--poweroff|--halt|--no-wall)$/.test(option)))
    return undefined;
  return options.some((option) => /^(-\w*r|--reboot)/.test(option)) ? 'reboot' : 'off';
}

const UNITS = new Map<string, Awaits>(
  Object.entries({
    'reboot.target': 'reboot',
    'kexec.target': 'reboot',
    'poweroff.target': 'off',
    'halt.target': 'off',
  }),
);

function ofSystemctl(args: readonly string[]): Awaits {
  const [verb, unit = '', ...more] = args.filter(
    (arg) => !/^(-[fiq]+|--force|--no-block|--no-wall|--quiet|--no-ask-password)$/.test(arg),
  );
  switch (verb) {
    case 'reboot':
    case 'kexec':
      return unit === '' ? 'reboot' : undefined;
    case 'poweroff':
    case 'halt':
      return unit === '' ? 'off' : undefined;
    case 'start':
    case 'isolate':
      return more.length === 0 ? UNITS.get(unit) : undefined;
    default:
      return undefined;
  }
}

function ofRunlevel([level, ...more]: readonly string[]): Awaits {
  if (more.length > 0) return undefined;
  if (level === '6') return 'reboot';
  return level === '0' ? 'off' : undefined;
}
