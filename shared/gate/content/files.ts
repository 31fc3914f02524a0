import type { Input } from '../rule.ts';
import type { Value } from '../value.ts';
import { composeFiles } from './compose.ts';
import { isPackageFile, unitFiles } from './names.ts';
import { fileInput, operandsAfter, valuesOf } from './words.ts';

/** One file, or the places where one of a name is looked for. */
export interface Found {
  readonly files: readonly Value[];
  readonly use: string;
  readonly need: 'one' | 'any';
}

/** `unknown`: the words are not followed, so whatever they name stays unseen. */
export type Contents = readonly Found[] | 'unknown';

interface Call {
  readonly args: readonly Value[];
  readonly input: Input;
}
type Reader = (call: Call) => Contents;

const RUNS = 'runs it';
const APPLIES = 'applies it';

/** What a program executes or applies; nothing for a program that is not listed. */
export function contentsOf(name: string, args: readonly Value[], input: Input): Contents {
  const reader = READERS.get(/^python3?(\.\d+)?$/.test(name) ? 'python' : name);
  return reader?.({ args, input }) ?? [];
}

function each(values: readonly Value[], use: string): readonly Found[] {
  return values.map((value) => ({ files: [value], use, need: 'one' }));
}

interface Interpreter {
  /** Options that hold the program text themselves: then there is no file. */
  readonly inline: RegExp;
  /** Options whose value is the next word. */
  readonly valued: readonly string[];
}

/** `bash x.sh`, `python3 - < x.py`, `cat x.sh | sh`. */
function interprets({ inline, valued }: Interpreter): Reader {
  return ({ args, input }) => {
    if (args.some(({ text }) => text !== undefined && inline.test(text))) return [];
    const [script] = operandsAfter(args, valued);
    if (script !== undefined && script.text !== '-') return each([script], RUNS);
    return each(fileInput(input), RUNS);
  };
}

const SHELL = interprets({
  inline: /^-[A-Za-z]*c$|^--(version|help)$/,
  valued: ['-o', '+o', '-O', '+O', '--rcfile', '--init-file'],
});

/** Files given by options, and what comes in where one of them is `-` or none is given. */
function byOption(options: readonly string[], use: string, orInput = false): Reader {
  return ({ args, input }) => {
    const named = valuesOf(args, options);
    const files = named.filter(({ text }) => text !== '-');
    const reads = named.length > files.length || (orInput && named.length === 0);
    return each([...files, ...(reads ? fileInput(input) : [])], use);
  };
}

/** Its operands are the files; without one, or for `-`, what comes in. */
function byOperand(valued: readonly string[], use: string): Reader {
  return ({ args, input }) => {
    const operands = operandsAfter(args, valued);
    const files = operands.filter(({ text }) => text !== '-');
    return each(files.length > 0 ? files : fileInput(input), use);
  };
}

const KUBECTL: Reader = (call) =>
  /^(apply|create|replace|delete)$/.test(call.args[0]?.text ?? '')
    ? byOption(['-f', '--filename'], APPLIES)(call)
    : [];

const CRONTAB: Reader = (call) =>
  call.args.some(({ text }) => /^-[lre]$/.test(text ?? '')) ? [] : byOperand(['-u'], APPLIES)(call);

const PACKAGES: Reader = ({ args }) => each(args.filter(isPackageFile), 'installs it');

const DPKG: Reader = ({ args }) =>
  args.some(({ text }) => /^(-i|--install|--unpack)$/.test(text ?? ''))
    ? each(operandsAfter(args, []), 'installs it')
    : [];

const SYSTEMCTL: Reader = ({ args }) => {
  const [verb, ...units] = operandsAfter(args, ['-H', '-M', '-t', '--root']);
  return /^(enable|reenable|link)$/.test(verb?.text ?? '') ? units.map(unitFiles) : [];
};

const READERS: ReadonlyMap<string, Reader> = new Map(
  (
    [
      ['bash sh dash ash ksh zsh', SHELL],
      ['python', interprets({ inline: /^-[A-Za-z]*[cmV]$|^--version$/, valued: ['-W', '-X'] })],
      ['perl ruby', interprets({ inline: /^-[A-Za-z]*[eEv]$/, valued: ['-I', '-r'] })],
      ['node', interprets({ inline: /^(-e|-p|-v|--eval|--print|--version)/, valued: ['-r'] })],
      ['php', interprets({ inline: /^-(r|v|i|m)$/, valued: ['-d', '-c'] })],
      ['. source', ({ args }) => each(args.slice(0, 1), RUNS)],
      ['at batch', byOption(['-f'], RUNS, true)],
      ['make gmake', byOption(['-f', '--file', '--makefile'], APPLIES)],
      ['docker-compose podman-compose', ({ args }) => composeFiles(args)],
      ['kubectl k3s', KUBECTL],
      ['helm', byOption(['-f', '--values'], APPLIES)],
      ['ansible-playbook', byOperand(ansibleValued(), APPLIES)],
      ['nft', byOption(['-f', '--file'], APPLIES)],
      ['iptables-restore ip6tables-restore', byOperand(['-M', '-w', '-W', '-T'], APPLIES)],
      ['crontab', CRONTAB],
      ['sysctl', byOption(['-p', '--load'], APPLIES)],
      ['psql', byOption(['-f', '--file'], APPLIES, true)],
      ['mysql mariadb sqlite3 redis-cli', ({ input }) => each(fileInput(input), APPLIES)],
      ['patch', byOption(['-i', '--input'], APPLIES, true)],
      ['systemctl', SYSTEMCTL],
      ['dpkg', DPKG],
      ['apt apt-get dnf yum rpm zypper apk pacman', PACKAGES],
    ] as const satisfies readonly (readonly [string, Reader])[]
  ).flatMap(([names, reader]) => names.split(' ').map((name) => [name, reader] as const)),
);

function ansibleValued(): readonly string[] {
  return [
    '-i',
    '-e',
    '-l',
    '-t',
    '-u',
    '-f',
    '-c',
    '--limit',
    '--tags',
    '--extra-vars',
    '--inventory',
  ];
}
