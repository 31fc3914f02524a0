import { canMatch } from './globs.ts';
import { comesNothing } from './nothing.ts';
import { given, type OptionSpec, parseOptions } from './options.ts';
import {
  candidates,
  type Directory,
  isKernelTrigger,
  isRawDevice,
  isVitalFile,
  isWatchdog,
} from './places.ts';
import type { Call } from './rule.ts';
import { literal, unknownWord, type Value } from './value.ts';

/** A call as far as it matters here: also programs without rules write files. */
type Writing = Pick<Call, 'program' | 'args' | 'directories' | 'input'>;

/** The word that names a file to be written, and the paths it may stand for. */
interface Output {
  readonly word: Value;
  readonly paths: readonly Value[];
}

interface Written {
  readonly outputs: readonly Output[];
  /** What is read to be written there. */
  readonly inputs: readonly Value[];
}

/** A long option and what it may be shortened to. */
const shortened = (name: string, least: number): readonly string[] =>
  Array.from({ length: name.length - least + 1 }, (_, more) => name.slice(0, least + more));
const TARGET = shortened('target-directory', 1);

/** How copying programs take their words; any other option is one without a value. */
const COPYING: ReadonlyMap<string, OptionSpec> = new Map(
  Object.entries({
    cp: { shortValue: 'St', longValue: 'suffix target-directory sparse no-preserve' },
    mv: { shortValue: 'St', longValue: 'suffix target-directory' },
    ln: { shortValue: 'St', longValue: 'suffix target-directory' },
    link: { shortValue: '', longValue: '' },
    install: {
      shortValue: 'gmoSt',
      longValue: 'suffix target-directory group mode owner strip-program',
    },
    scp: { shortValue: 'cDFiJloPSX', longValue: '' },
    rsync: {
      shortValue: 'efBTM@',
      longValue:
        'rsh exclude include exclude-from include-from files-from filter bwlimit rsync-path log-file log-file-format timeout contimeout port partial-dir temp-dir compare-dest copy-dest link-dest backup-dir suffix password-file chmod chown usermap groupmap out-format info debug max-size min-size max-delete modify-window block-size compress-level skip-compress address sockopts iconv remote-option',
    },
  }).map(([name, { shortValue, longValue }]) => [
    name,
    {
      shortValue,
      longValue: [
        ...longValue.split(' '),
        ...(longValue.includes('target-directory') ? TARGET : []),
        ...(longValue.includes('suffix') ? shortened('suffix', 2) : []),
      ],
      anyOption: true,
    },
  ]),
);

/** What these write is made of their input, where no file is named. */
const FILTERS = /^(sort|shuf|iconv|uniq|xxd|sponge|openssl|gpg|base64)$/;
const AWK = /^[gmn]?awk$/;
const STDIN = /^(-|\/dev\/(stdin|fd\/0)|\/proc\/self\/fd\/0)$/;

function written(call: Writing): Written {
  const copying = COPYING.get(call.program);
  if (copying) return copied(copying, call.args);
  if (call.program === 'dd') {
    return { outputs: valuesOf('of', call.args).map(alone), inputs: valuesOf('if', call.args) };
  }
  if (AWK.test(call.program)) return { outputs: call.args.flatMap(printed), inputs: [] };
  if (call.program === 'socat') return { outputs: call.args.flatMap(addressed), inputs: [] };
  if (/^(bsd)?tar$/.test(call.program))
    return { outputs: packed(call.args).map(alone), inputs: [] };
  const { outputs, rest } = outputOptions(call.args, OWN_OUTPUT.get(call.program));
  if (call.program === 'qemu-img' && /^(convert|create)$/.test(rest[0]?.text ?? '')) {
    return { outputs: [...outputs, ...rest.slice(1)].map(alone), inputs: [] };
  }
  if (call.program === 'sponge') return { outputs: rest.map(alone), inputs: [] };
  // Their second operand is written.
  const second = /^(uniq|xxd)$/.test(call.program) ? rest.slice(1) : [];
  const inputs = rest.filter((word) => !second.includes(word));
  return { outputs: [...outputs, ...second].map(alone), inputs };
}

const alone = (word: Value): Output => ({ word, paths: [word] });

/** Where copies land: on the goal itself or, in a folder, under each source's name. */
function copied(spec: OptionSpec, args: readonly Value[]): Written {
  const parsed = parseOptions(spec, args);
  if ('because' in parsed) {
    const [first, ...others] = operandsAmong(args);
    return { outputs: others.map(alone), inputs: first ? [first] : [] };
  }
  const into = given(parsed, 't', ...TARGET);
  const inputs = into.length > 0 ? parsed.operands : parsed.operands.slice(0, -1);
  const goals = into.length > 0 ? into : parsed.operands.slice(-1);
  const outputs = goals.map((word) => {
    const goal = withoutHost(word);
    return { word, paths: [goal, ...inputs.flatMap((input) => below(goal, input))] };
  });
  return { outputs, inputs };
}

function withoutHost(value: Value): Value {
  const path = /^[\w.@-]+:{1,2}(.+)$/s.exec(value.text ?? '')?.[1];
  return path === undefined ? value : literal(path);
}

function below(goal: Value, source: Value): readonly Value[] {
  const name = source.text?.replace(/\/+$/, '').split('/').pop();
  if (goal.text === undefined || !name || name === '.') return [];
  return [literal(`${goal.text.replace(/\/+$/, '')}/${name}`)];
}

/** What `dd` is given under a name: `of=/dev/sdb`. */
export function valuesOf(name: string, args: readonly Value[]): readonly Value[] {
  const start = `${name}=`;
  return args
    .filter((arg) => arg.prefix.startsWith(start))
    .map((arg) =>
      arg.text === undefined
        ? unknownWord('one', '**', arg.prefix.slice(start.length))
        : literal(arg.text.slice(start.length)),
    );
}

/** `print > "file"` in an awk program. */
function printed(program: Value): readonly Output[] {
  const found = (program.text ?? '').matchAll(/(?<!>)>\s*"([^"]+)"/g);
  return [...found].map((match) => alone(literal(match[1] ?? '')));
}

/** `OPEN:/dev/sda,sync` among the addresses of socat. */
function addressed(address: Value): readonly Output[] {
  const path = /^(?:g?open|file|creat\w*):([^,]+)/i.exec(address.text ?? '')?.[1];
  return path === undefined ? [] : [{ word: address, paths: [literal(path)] }];
}

/** The archive that is written: a disk, if it is one. */
function packed(args: readonly Value[]): readonly Value[] {
  const packs = args.some(
    ({ text = '' }, at) =>
      /^--(create|append|update|catenate|concatenate)$/.test(text) ||
      (at === 0 ? /^-?\w*[cruA]/ : /^-\w*[cruA]/).test(text),
  );
  const named = args.flatMap((arg, at) => {
    const attached = /^(?:--file=|-\w*f)(\/.+)$/.exec(arg.text ?? '')?.[1];
    if (attached !== undefined) return [literal(attached)];
    const before = args[at - 1]?.text ?? '';
    return /^(-\w*f|--file)$/.test(before) || (at === 1 && /^\w*f\w*$/.test(before)) ? [arg] : [];
  });
  return packs ? named : [];
}

const OUTPUT = /^(?:-\w*[oO]|-out|--out\w*(?:-\w+)?|-fprint0?|-fprintf|-fls)$/;
const ATTACHED = /^(?:--(?:out\w*(?:-\w+)?|file|result-file)=|-\w*?[oO])(\/?[^=].*)$/s;

/** Programs with another letter for it. */
const OWN_OUTPUT: ReadonlyMap<string, RegExp> = new Map([
  ...['tcpdump', 'tshark', 'dumpcap'].map((name) => [name, /^-\w*w$/] as const),
  ...['pg_dump', 'pg_dumpall', 'pg_restore'].map((name) => [name, /^(-\w*f|--file)$/] as const),
  ...['mysqldump', 'mariadb-dump'].map((name) => [name, /^(-\w*r|--result-file)$/] as const),
]);

/** The files that are named by an option such as `-o`, and the other words. */
function outputOptions(
  args: readonly Value[],
  own?: RegExp,
): { outputs: Value[]; rest: readonly Value[] } {
  const outputs: Value[] = [];
  args.forEach((arg, at) => {
    const next = args[at + 1];
    const text = arg.text ?? '';
    if (OUTPUT.test(text) || own?.test(text)) outputs.push(...(next ? [next] : []));
    else {
      const attached = ATTACHED.exec(arg.text ?? '')?.[1];
      if (attached !== undefined) outputs.push(literal(attached));
    }
  });
  return { outputs, rest: operandsAmong(args).filter((arg) => !outputs.includes(arg)) };
}

const operandsAmong = (args: readonly Value[]): readonly Value[] =>
  args.filter((arg) => arg.text === undefined || !arg.text.startsWith('-'));

/** What stands for each kind where only a pattern is known. */
const GRAVE_PATHS = [
  '/proc/sysrq-trigger',
  '/sys/power/state',
  '/dev/watchdog',
  '/dev/sda',
  '/dev/nvme0n1',
  '/etc/shadow',
  '/etc/passwd',
  '/etc/group',
  '/etc/sudoers',
  '/etc/fstab',
];

const actsAtOnce = (path: string): boolean => isKernelTrigger(path) || isWatchdog(path);
const isGrave = (path: string): boolean =>
  isRawDevice(path) || actsAtOnce(path) || isVitalFile(path);

function namesGrave(value: Value, directories: readonly Directory[]): boolean {
  if (value.text !== undefined) return candidates(value.text, directories).some(isGrave);
  if (isRawDevice(value.prefix)) return true;
  const told = !value.pattern.includes('**') || /^\/(dev|proc|sys|etc)\/./.test(value.prefix);
  if (value.pattern === '' || !told) return false;
  const patterns = candidates(value.pattern, directories);
  return patterns.some((pattern) => GRAVE_PATHS.some((path) => canMatch(pattern, path)));
}

const isNull = (value: Value): boolean =>
  value.text?.startsWith('/') === true && candidates(value.text, [])[0] === '/dev/null';

/** Nothing is read, so that what it is written over ends up empty. */
function readsNothing(call: Writing, { inputs }: Written): boolean {
  // A link to /dev/null is how services are masked.
  if (inputs.some(isNull) && !/^(ln|link)$/.test(call.program)) return true;
  if (call.program === 'dd') {
    // dd reads hexadecimal `0x5` as 0 times 5.
    if (valuesOf('count', call.args).some(({ text }) => /^0+($|[^\d])|x0/.test(text ?? '')))
      return true;
    if (inputs.length === 0) return comesNothing(call.input);
  }
  const fromInput = inputs.some(({ text }) => STDIN.test(text ?? ''));
  const filters = FILTERS.test(call.program) && inputs.length === 0;
  return (fromInput || filters) && comesNothing(call.input);
}

/** Whether a word names, or holds in a program's text, a file that acts as soon as it is written. */
function holdsTrigger(value: Value, directories: readonly Directory[]): boolean {
  const text = value.text ?? value.prefix;
  if (!/sysrq|watchdog|state|disk|remove|delete/.test(text)) return false;
  const pieces = [text, ...text.split(/[\s"'`(){}<>|;,=:]+/), text.replace(/^-\w/, '')];
  return pieces
    .filter((piece) => piece !== '')
    .some((piece) => candidates(piece, directories).some(actsAtOnce));
}

/**
 * What a call writes over that nobody can bring back: a disk, a file the machine cannot do without,
 * anything at all where nothing is written; and what acts as soon as it is written.
 */
export function overwritten(call: Writing): readonly Value[] {
  const { directories } = call;
  const all = written(call);
  const empties = readsNothing(call, all);
  const lost = all.outputs.filter(
    ({ word, paths }) =>
      !isNull(word) && (empties || paths.some((path) => namesGrave(path, directories))),
  );
  if (lost.length > 0) return lost.map(({ word }) => word);
  return call.args.filter((arg) => holdsTrigger(arg, directories));
}
