import type { Command, Statement } from 'unbash';
import { clearScript, staticWords } from './argv.ts';

/** What must have come about before a command that takes a machine down has done its work. */
export interface ExpectedRestart {
  readonly awaits: 'reboot' | 'off';
  /** The target itself, or the guest of it that the command names. */
  readonly place: 'target' | `lxc/${string}` | `vm/${string}`;
}

type Shell = 'bash' | 'posix';
type Step = Statement['command'];

/**
 * The restart that a command line ends with, for certain: its last step takes the target, or a guest
 * that it names, down. Undefined where that depends on anything (`||`, `if`, a word decided at run
 * time), where it is put off to later, or where it happens on another machine.
 */
export function expectedRestart(command: string, shell: Shell): ExpectedRestart | undefined {
  const script = clearScript(command, shell);
  return script && ofLast(script.commands, shell);
}

/** Steps behind it that wait for nothing and decide nothing. */
const IDLE = /^(exit|sleep|true|:|wait|echo)$/;

function ofLast(statements: readonly Statement[], shell: Shell): ExpectedRestart | undefined {
  const last = statements.findLast(({ command }) => !isIdle(command));
  return last && ofStep(last.command, shell);
}

function isIdle(step: Step): boolean {
  return step.type === 'Command' && IDLE.test(staticWords(step)?.[0] ?? '');
}

function ofStep(step: Step, shell: Shell): ExpectedRestart | undefined {
  switch (step.type) {
    case 'Command':
      return ofCommand(step, shell);
    case 'AndOr': {
      const last = step.commands.findLast((one) => !isIdle(one));
      const certain = step.operators.every((operator) => operator === '&&');
      return last && certain ? ofStep(last, shell) : undefined;
    }
    case 'Subshell':
    case 'BraceGroup':
      return ofLast(step.body.commands, shell);
    case 'Redirected':
      return ofStep(step.command, shell);
    default:
      return undefined;
  }
}

function ofCommand(command: Command, shell: Shell): ExpectedRestart | undefined {
  const words = staticWords(command);
  return words && ofWords(words, shell);
}

function ofWords(words: readonly string[], shell: Shell): ExpectedRestart | undefined {
  const [path = '', ...args] = words;
  const program = path.replace(/^.*\//, '');
  const inner = WRAPPERS[program];
  if (inner) return ofWords(args.slice(operandsAt(args, inner)), shell);
  switch (program) {
    case 'sh':
    case 'bash':
    case 'dash':
      return args[0] === '-c' && args.length === 2 && args[1] !== undefined
        ? expectedRestart(args[1], program === 'bash' ? 'bash' : 'posix')
        : undefined;
    case 'pct':
      return ofPct(args);
    case 'lxc-attach':
      return args[0] === '-n' && args[2] === '--' ? inGuest(args[1], args.slice(3)) : undefined;
    case 'qm':
      return args[0] === 'reboot' ? ofGuest('vm', args[1]) : undefined;
    case 'pvesh':
      return ofPvesh(args);
    default: {
      const awaits = OWN[program]?.(args);
      return awaits && { awaits, place: 'target' };
    }
  }
}

/** Options of each that take the next word. */
const WRAPPERS: Readonly<Record<string, RegExp>> = {
  sudo: /^-[ug]$/,
  env: /^-[uC]$/,
  nohup: /^$/,
  setsid: /^$/,
  exec: /^-a$/,
  command: /^$/,
  nice: /^-n$/,
  ionice: /^-[cn]$/,
};

/** Where the wrapped command begins: behind options and assignments. */
function operandsAt(args: readonly string[], valued: RegExp): number {
  let at = 0;
  for (let word = args[at]; word !== undefined; word = args[at]) {
    if (!/^-|^\w+=/.test(word)) break;
    at += valued.test(word) ? 2 : 1;
    if (word === '--') break;
  }
  return at;
}

function ofPct(args: readonly string[]): ExpectedRestart | undefined {
  const [verb, id, ...rest] = args;
  if (verb === 'reboot') return ofGuest('lxc', id);
  if (verb !== 'exec') return undefined;
  const own = rest[0] === '--keep-env' ? rest.slice(2) : rest;
  return inGuest(id, own[0] === '--' ? own.slice(1) : own);
}

function inGuest(id: string | undefined, words: readonly string[]): ExpectedRestart | undefined {
  const found = ofWords(words, 'posix');
  const guest = found?.place === 'target' ? ofGuest('lxc', id) : undefined;
  return found && guest && { ...guest, awaits: found.awaits };
}

function ofGuest(kind: 'lxc' | 'vm', id: string | undefined): ExpectedRestart | undefined {
  return /^[1-9]\d{2,8}$/.test(id ?? '') ? { awaits: 'reboot', place: `${kind}/${id}` } : undefined;
}

const GUEST_REBOOT = /^\/nodes\/[^/]+\/(lxc|qemu)\/(\d+)\/status\/reboot\/?$/;

/** The whole host only by the name that is always its own: another node is another machine. */
function ofPvesh([verb, path = '', ...rest]: readonly string[]): ExpectedRestart | undefined {
  if (verb !== 'create') return undefined;
  const [, kind, id] = GUEST_REBOOT.exec(path) ?? [];
  if (kind !== undefined) return ofGuest(kind === 'lxc' ? 'lxc' : 'vm', id);
  if (!/^\/nodes\/localhost\/status\/?$/.test(path)) return undefined;
  const wish = /^--?command[ =](reboot|shutdown)$/.exec(rest.join(' '))?.[1];
  if (wish === undefined) return undefined;
  return { awaits: wish === 'reboot' ? 'reboot' : 'off', place: 'target' };
}

type Awaits = ExpectedRestart['awaits'] | undefined;

/** The tools that take down the very machine that they run on. */
const OWN: Readonly<Record<string, (args: readonly string[]) => Awaits>> = {
  reboot: (args) => byOptions(args, 'reboot'),
  poweroff: (args) => byOptions(args, 'off'),
  halt: (args) => byOptions(args, 'off'),
  shutdown: ofShutdown,
  systemctl: ofSystemctl,
  init: ofRunlevel,
  telinit: ofRunlevel,
  kexec: (args) => (args.join(' ') === '-e' ? 'reboot' : undefined),
};

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

const UNITS: Readonly<Record<string, Awaits>> = {
  'reboot.target': 'reboot',
  'kexec.target': 'reboot',
  'poweroff.target': 'off',
  'halt.target': 'off',
};

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
      return more.length === 0 ? UNITS[unit] : undefined;
    default:
      return undefined;
  }
}

function ofRunlevel([level, ...more]: readonly string[]): Awaits {
  if (more.length > 0) return undefined;
  if (level === '6') return 'reboot';
  return level === '0' ? 'off' : undefined;
}
