import { isSafeEnvironment } from '../environment.ts';
import { type Call, type Match, type Remark, refuse } from '../rule.ts';
import type { Value } from '../value.ts';

interface PrefixOptions {
  readonly flags: readonly string[];
  /** Options whose value is the next word. */
  readonly valued: readonly string[];
  /** Beginnings of options with their value attached. */
  readonly attached: readonly string[];
  /** A word that must come between options and command, such as a time limit. */
  readonly first?: RegExp;
  /** The first operand may be decided at run time: it is a name, not the command. */
  readonly openOperand?: boolean;
}

const ASSIGNMENT = /^([A-Za-z_]\w*)=(.*)$/s;

/** A wrapper with a few known options before the command it runs. */
export function openFlags(options: PrefixOptions): (call: Call) => Match {
  return (call) => {
    const start = afterOptions(call.args, options);
    if (typeof start === 'string') return refuse(start);
    const [first] = call.args.slice(start);
    if (options.first && !options.first.test(first?.text ?? ''))
      return refuse('its first operand is odd');
    return openRest(call.args.slice(options.first ? start + 1 : start));
  };
}

function openRest(argv: readonly Value[], remarks: readonly Remark[] = []): Match {
  if (argv.length === 0) return refuse('it opens a shell or does nothing known');
  return { matches: true, reads: [], remarks, opens: [{ kind: 'argv', argv }] };
}

/** Where the operands begin, or why the options are not followed. */
export function afterOptions(args: readonly Value[], options: PrefixOptions): number | string {
  let at = 0;
  while (at < args.length) {
    const text = args[at]?.text;
    if (text === '--') return at + 1;
    if (text === undefined) return options.openOperand ? at : 'a word is decided at run time';
    if (!text.startsWith('-')) return at;
    const step = optionLength(text, args[at + 1], options);
    if (typeof step === 'string') return step;
    at += step;
  }
  return at;
}

/** How many words an option takes up. */
function optionLength(
  text: string,
  next: Value | undefined,
  options: PrefixOptions,
): number | string {
  if (options.flags.includes(text)) return 1;
  if (options.valued.includes(text)) {
    return next?.words === 'one' ? 2 : 'the value of an option is decided at run time';
  }
  const attached = options.attached.some((start) => text.startsWith(start) && text !== start);
  return attached ? 1 : `the option ${text} is not known to be harmless`;
}

/** `env NAME=value command`. */
export function openEnv(call: Call): Match {
  return withAssignments(call.args, { flags: ['-i', '-'], valued: [], attached: [] });
}

/** `sudo -u user NAME=value command`. */
export function openSudo(call: Call): Match {
  const options = {
    flags: ['-n', '-H', '-S', '-k', '-nH', '-Hn'],
    valued: ['-u', '-g'],
    attached: ['--user='],
  };
  return withAssignments(call.args, options);
}

function withAssignments(args: readonly Value[], options: PrefixOptions): Match {
  const start = afterOptions(args, options);
  if (typeof start === 'string') return refuse(start);
  const remarks: Remark[] = [];
  let at = start;
  for (; at < args.length; at++) {
    const found = ASSIGNMENT.exec(args[at]?.text ?? '');
    if (!found) break;
    const name = found[1] ?? '';
    if (!isSafeEnvironment(name, found[2])) {
      remarks.push({ class: 'config_mutation', why: `sets ${name} for a command` });
    }
  }
  return openRest(args.slice(at), remarks);
}
