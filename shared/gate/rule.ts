import type { GateFlag } from '../domain/gate-result.ts';
import type { RiskClass } from '../domain/risk.ts';
import type { GateFacts } from './facts.ts';
import { type OptionSpec, type Parsed, parseOptions } from './options.ts';
import type { Directory } from './places.ts';
import type { GatePolicy } from './policy.ts';
import { allTexts, literal, show, type Value } from './value.ts';

/** What a command reads from when no file is named. */
export type Input =
  | { readonly kind: 'inherited' }
  | { readonly kind: 'null' }
  /** `script`: the very text, where it is known and nothing else has read of it. */
  | { readonly kind: 'text'; readonly file?: Value; readonly script?: string }
  | {
      readonly kind: 'pipe';
      /** The words of the command right before; none where that is not a plain one. */
      readonly from: readonly Value[];
      /** Whole settings come through, whose secrets only their names tell (recognisable.ts). */
      readonly settings: boolean;
    };

/** A program call as a rule sees it: `args` are the words after the program and the rule's verb. */
export interface Call {
  readonly program: string;
  readonly args: readonly Value[];
  readonly directories: readonly Directory[];
  readonly input: Input;
  readonly policy: GatePolicy;
  /** Of the place the call itself runs in. */
  readonly facts: GateFacts;
}

/**
 * A command inside a command, to be judged as if it stood alone. `elsewhere` names the guest,
 * container or host it runs in, when that is not the place of the outer command.
 */
export type Opened =
  | {
      readonly kind: 'argv';
      readonly argv: readonly Value[];
      readonly elsewhere?: Value;
      /** `lxc/101`, where its files can be looked at. */
      readonly guest?: string;
    }
  | {
      readonly kind: 'script';
      readonly text: string;
      readonly shell: 'bash' | 'posix';
      readonly elsewhere?: Value;
    };

/** Something a rule saw beside its own class. */
export interface Remark {
  readonly class: RiskClass;
  readonly why: string;
  readonly flags?: readonly GateFlag[];
  /** The one thing a destructive remark is about, for the typed sentence. */
  readonly object?: { readonly verb: string; readonly value: Value };
}

/** A rule's answer. `because` says in plain words what kept it from matching. */
export type Match =
  | { readonly matches: false; readonly because?: string }
  | {
      readonly matches: true;
      readonly flags?: readonly GateFlag[];
      readonly remarks?: readonly Remark[];
      readonly opens?: readonly Opened[];
      /** Files whose contents come out. Undefined: every word may be one. */
      readonly reads?: readonly Value[];
      readonly touches?: readonly string[] | 'unknown';
    };

export interface Rule {
  readonly verb: readonly string[];
  readonly class: RiskClass;
  readonly why: string;
  readonly when: (call: Call) => Match;
  readonly flags?: readonly GateFlag[];
  readonly safer?: string;
  /** What a destructive call destroys: one typed sentence is possible when it is one literal word. */
  readonly objects?: (call: Call) => readonly Value[];
  readonly confirmVerb?: string;
  /** Its words may be a command: they are searched for destructive ones. */
  readonly launches?: boolean;
  readonly match: readonly string[];
  readonly notMatch: readonly string[];
}

/** All rules of one program. The strictest rule that matches decides; none: config_mutation. */
export interface Program {
  readonly names: readonly string[];
  /** Options before the verb. */
  readonly globals?: OptionSpec;
  /** Whether its words name files whose contents may come out, or are only names. */
  readonly operands: 'read' | 'named';
  /** Verbs may be shortened to a unique beginning: so may the destructive ones. */
  readonly abbreviates?: boolean;
  /** Where no rule follows its words, they may be a command: searched for destructive ones. */
  readonly launches?: boolean;
  readonly touches?: (words: readonly Value[]) => readonly string[] | 'unknown';
  readonly rules: readonly Rule[];
}

const NO_MATCH: Match = { matches: false };
const MATCHES: Match = { matches: true };

/** A refusal that says why. */
export function refuse(because: string): Match {
  return { matches: false, because };
}

/** How a harmless use looks: its exact options and its operands. */
export interface Use extends OptionSpec {
  /** Highest number of operands, or the form each must have. Undefined: any. */
  readonly operands?: number | RegExp;
  /** Operands must be known before it runs. */
  readonly staticOperands?: boolean;
  /** The operands are files whose contents come out. */
  readonly prints?: boolean;
  /** The operands are names only, whatever the program's other uses do. */
  readonly named?: boolean;
  /** A last look: undefined lets it pass, a text refuses, a match adds to the answer. */
  readonly check?: (parsed: Parsed, call: Call) => string | Match | undefined;
}

type Examples = readonly string[];

/** A read_only rule over options and operands. An empty verb is the bare program. */
export function reads(verb: string, why: string, use: Use, match: Examples, not: Examples): Rule {
  return rule('read_only', verb, why, (call) => matchUse(use, call), match, not);
}

/** A read_only rule over the whole line: its words, joined by blanks, have one of these forms. */
export function phrase(
  verb: string,
  why: string,
  forms: RegExp,
  match: Examples,
  not: Examples,
): Rule {
  return rule('read_only', verb, why, (call) => matchPhrase(forms, call), match, not);
}

/** A read_only rule with a checker of its own. */
export function checked(
  verb: string,
  why: string,
  when: (call: Call) => Match,
  match: Examples,
  not: Examples,
): Rule {
  return rule('read_only', verb, why, when, match, not);
}

/** A reversible_low rule: exactly these forms, anything further makes it a config_mutation. */
export function low(
  verb: string,
  why: string,
  forms: RegExp,
  match: Examples,
  not: Examples,
): Rule {
  return rule('reversible_low', verb, why, (call) => matchPhrase(forms, call), match, not);
}

type Condition = (call: Call) => boolean;

/** A config_mutation rule: says what the call does, where the default would only say "unknown". */
export function changes(
  verb: string,
  why: string,
  match: Examples,
  not: Examples,
  extra: Partial<Pick<Rule, 'flags' | 'safer' | 'launches'>> & { readonly if?: Condition } = {},
): Rule {
  const { if: condition, ...rest } = extra;
  return { ...rule('config_mutation', verb, why, conditional(condition), match, not), ...rest };
}

/** A destructive rule: cannot be undone. */
export function destroys(
  verb: string,
  why: string,
  match: Examples,
  not: Examples,
  extra: Partial<Pick<Rule, 'flags' | 'safer' | 'objects' | 'confirmVerb'>> & {
    readonly if?: Condition;
  } = {},
): Rule {
  const { if: condition, ...rest } = extra;
  return { ...rule('destructive', verb, why, conditional(condition), match, not), ...rest };
}

function conditional(condition: Condition | undefined): (call: Call) => Match {
  return (call) => (condition === undefined || condition(call) ? MATCHES : NO_MATCH);
}

function rule(
  risk: RiskClass,
  verb: string,
  why: string,
  when: (call: Call) => Match,
  match: Examples,
  notMatch: Examples,
): Rule {
  const words = verb === '' ? [] : verb.split(' ');
  return { verb: words, class: risk, why, when, match, notMatch };
}

/** Judges a call by its options and operands. */
export function matchUse(use: Use, call: Call): Match {
  const parsed = parseOptions(use, call.args);
  if ('because' in parsed) return refuse(parsed.because);
  const refusal = refuseOperands(use, parsed.operands);
  if (refusal !== undefined) return refuse(refusal);
  const outcome = use.check?.(parsed, call);
  if (typeof outcome === 'string') return refuse(outcome);
  if (outcome !== undefined) return outcome;
  if (use.prints) return { matches: true, reads: parsed.operands };
  return use.named ? { matches: true, reads: [] } : MATCHES;
}

function refuseOperands(use: Use, operands: readonly Value[]): string | undefined {
  const form = use.operands;
  if (typeof form === 'number') {
    if (operands.length > form) return 'more operands than it needs';
    if (operands.some((operand) => operand.words !== 'one'))
      return 'the number of operands is open';
  }
  if (form instanceof RegExp) {
    const odd = operands.find((operand) => operand.text === undefined || !form.test(operand.text));
    if (odd) return `the operand ${show(odd)} is not of a known form`;
  }
  const open = use.staticOperands ? operands.find((o) => o.text === undefined) : undefined;
  return open && `the operand ${show(open)} is decided at run time`;
}

/** Judges a call by the form of its whole text. Words with blanks inside never fit. */
function matchPhrase(forms: RegExp, call: Call): Match {
  const texts = allTexts(call.args);
  if (texts === undefined) return refuse('a word is decided at run time');
  if (texts.some((text) => /\s/.test(text) || text === '')) return NO_MATCH;
  return forms.test(texts.join(' ')) ? MATCHES : NO_MATCH;
}

/** The words as one line; `…` stands for each that is decided at run time. */
export function lineOf({ args }: Pick<Call, 'args'>): string {
  return args.map((arg) => arg.text ?? '…').join(' ');
}

/** A condition: one of the words has this form. */
export function hasWord(form: RegExp): Condition {
  return (call) => call.args.some((arg) => arg.text !== undefined && form.test(arg.text));
}

/** The operands as far as they can be told without knowing the options. */
export function operandsOf(call: Call): readonly Value[] {
  return call.args.filter((arg) => arg.text === undefined || !arg.text.startsWith('-'));
}

const ALONE =
  /^(-[fyrRqvFds]+|--?(force|yes|recursive|quiet|purge|all|verbose|now|no-\w+|ignore-\w+)|--?[\w-]+=.*)$/;

/**
 * Only the first operand is what the call is about. Right behind an option it could be that one's
 * value: then nothing is named.
 */
export function firstOperand(call: Call): readonly Value[] {
  const at = call.args.findIndex((arg) => arg.text === undefined || !arg.text.startsWith('-'));
  const before = at > 0 ? call.args[at - 1]?.text : undefined;
  const first = call.args[at];
  return first === undefined || (before !== undefined && !ALONE.test(before)) ? [] : [first];
}

/** Its operands, without the values of these options. */
export function operandsBeside(valued: string): (call: Call) => readonly Value[] {
  const options = valued.split(' ');
  return (call) =>
    call.args.filter(
      (arg, at) =>
        (arg.text === undefined || !arg.text.startsWith('-')) &&
        !options.includes(call.args[at - 1]?.text ?? ''),
    );
}

const DEVICE_NAME = /^(\/|[\w-]+\/|([shv]|xv)d[a-z]+\d*$|nvme\d|md\d|dm-\d|mmcblk\d|loop\d|zd\d)/;

/** The disks or volumes it names; without a path among its words, those that could be names. */
export function devicesNamed(call: Call): readonly Value[] {
  const operands = operandsOf(call);
  const devices = operands.filter((arg) => DEVICE_NAME.test(arg.text ?? '/'));
  return devices.length > 0 ? devices : operands.filter((arg) => /^[a-z]/.test(arg.text ?? 'a'));
}

/** Stands for the place a call runs on, where that itself is what goes down or is emptied. */
export const THE_TARGET: Value = literal('@target');

/** The call brings down or empties the very target it runs on. */
export function theTarget(): readonly Value[] {
  return [THE_TARGET];
}
