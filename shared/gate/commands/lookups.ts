import { namesOutside } from '../checkers/hosts.ts';
import type { OptionSpec, Parsed } from '../options.ts';
import { given } from '../options.ts';
import {
  type Call,
  changes,
  checked,
  hasWord,
  type Match,
  matchUse,
  type Program,
  refuse,
} from '../rule.ts';
import { allTexts, isNoOption, type Value } from '../value.ts';

const outside = (values: readonly Value[]): boolean =>
  values.some((value) => namesOutside(value.text ?? ''));

/** A fifth of a second or more, in no other spelling: `1e-9` floods. */
const PAUSE = /^([1-9]\d*(\.\d+)?|0?\.[2-9]\d*)$/;

const floods = (parsed: Parsed): boolean =>
  given(parsed, 'i', 'interval').some((pause) => !PAUSE.test(pause.text ?? ''));

/** Tools that ask the network about a name. A computed name could carry something out. */
function asks(
  names: string,
  why: string,
  spec: OptionSpec,
  max: number,
  example: string,
  not: string,
  endless?: (parsed: Parsed) => boolean,
): Program {
  const when = (call: Call): Match => {
    const match = matchUse(
      {
        ...spec,
        operands: max,
        check: (parsed) => {
          if (
            parsed.operands.some(
              (operand) => operand.text === undefined && operand.pattern.includes('**'),
            )
          )
            return 'the name is decided at run time';
          if (parsed.operands.some((operand) => !/^[\w.:@+%=-]+$/.test(operand.text ?? 'x')))
            return 'the name is odd';
          if (floods(parsed)) return 'it floods the network';
          return endless?.(parsed) ? { matches: true, flags: ['unbounded'] } : undefined;
        },
      },
      call,
    );
    if (!match.matches || !outside(call.args)) return match;
    return { ...match, flags: [...(match.flags ?? []), 'egress'] };
  };
  return {
    names: names.split(' '),
    operands: 'named',
    rules: [checked('', why, when, [example], [not])],
  };
}

const dig = (call: Call): Match => {
  const texts = allTexts(call.args);
  if (!texts || texts.length === 0) return refuse('the name is decided at run time');
  const known = texts.every(
    (text, i) =>
      /^[+@]?[\w.:-]+(=\d+)?$/.test(text) &&
      (!text.startsWith('-') || /^-(x|4|6|t|p|q|c|u)$/.test(text)) &&
      (texts[i - 1] !== '-p' || /^\d+$/.test(text)),
  );
  if (!known) return refuse('an option is not known to be harmless');
  return { matches: true, reads: [], flags: outside(call.args) ? ['egress'] : [] };
};

function nc(call: Call): Match {
  return matchUse(
    {
      short: 'vznu46',
      shortValue: 'w',
      operands: 2,
      check: (parsed) =>
        given(parsed, 'z').length === 0
          ? 'it opens a connection'
          : outside(parsed.operands)
            ? { matches: true, flags: ['egress'] }
            : undefined,
    },
    call,
  );
}

/** Only plain scans of the own network, and nothing written. */
function nmap(call: Call): Match {
  const line = allTexts(call.args)?.join(' ') ?? '…';
  const plain =
    /^((-s[nTSP]|-p ?[\d,-]+|-Pn|-F|-n|-v|--open|--top-ports \d+|-T[0-4]) )*(\w[\w.:/-]*( |$))+$/;
  if (!plain.test(line)) return refuse('an option is not known to be harmless');
  const targets = call.args.filter((arg) => /[a-z.:]/i.test(arg.text ?? '') && isNoOption(arg));
  return targets.length > 0 && targets.every((arg) => !namesOutside(arg.text ?? ''))
    ? { matches: true, reads: [] }
    : refuse('it names a host outside');
}

/** 0, 1e9 and 0x7fffffff are as good as no limit. */
const isLimit = ({ text }: Value): boolean => /^[1-9]\d{0,3}$/.test(text ?? '');

/** Without a number of packets or seconds. */
const isEndless = (parsed: Parsed): boolean => !given(parsed, 'c', 'w').some(isLimit);

/** Asking other hosts, and asking about them. */
export const LOOKUPS: readonly Program[] = [
  asks(
    'ping ping6',
    'asks whether a host answers',
    { short: '46nqvODa', shortValue: 'cWwisItM' },
    1,
    'ping -c 3 10.0.0.1',
    'ping -f h',
    isEndless,
  ),
  asks(
    'traceroute tracepath',
    'shows the way to a host',
    { short: '46nIT', shortValue: 'mqwp' },
    2,
    'traceroute -n 10.0.0.1',
    'traceroute -i x h',
  ),
  {
    names: ['mtr'],
    operands: 'named',
    rules: [
      checked(
        '',
        'shows the way to a host',
        (call) =>
          matchUse(
            {
              short: 'rwnb46z',
              shortValue: 'ci',
              long: ['report', 'report-wide', 'no-dns'],
              longValue: ['report-cycles', 'interval'],
              operands: /^[\w.:][\w.:-]*$/,
              check: (parsed) => {
                if (floods(parsed)) return 'it floods the network';
                const limited = given(parsed, 'c', 'report-cycles').every(isLimit);
                return given(parsed, 'r', 'w', 'report', 'report-wide').length === 0 || !limited
                  ? 'it never ends'
                  : { matches: true, flags: outside(parsed.operands) ? ['egress'] : [] };
              },
            },
            call,
          ),
        ['mtr -r -c 5 10.0.0.1'],
        ['mtr 10.0.0.1'],
      ),
      changes('', 'never ends', ['mtr 10.0.0.1'], ['mtr -r 10.0.0.1'], {
        flags: ['unbounded'],
        safer: 'mtr -r -c 5 HOST',
        if: (call) => !hasWord(/^-[a-zA-Z0-9]*[rw]|^--report/)(call),
      }),
    ],
  },
  asks(
    'arping',
    'asks whether a host answers',
    { short: 'bDq', shortValue: 'cwI' },
    1,
    'arping -c 2 10.0.0.1',
    'arping -U 10.0.0.1',
    isEndless,
  ),
  {
    names: ['nmap'],
    operands: 'named',
    rules: [
      checked(
        '',
        'looks which hosts and ports answer',
        nmap,
        ['nmap -sn 192.168.1.0/24', 'nmap -p 22,443 10.0.0.5'],
        [
          'nmap --script vuln 10.0.0.5',
          'nmap -oN x 10.0.0.5',
          'nmap -sn example.com',
          'nmap -iL x',
        ],
      ),
    ],
  },
  {
    names: ['dig', 'drill'],
    operands: 'read',
    rules: [checked('', 'looks up a name', dig, ['dig +short google.com'], ['dig -f x'])],
  },
  {
    names: ['nslookup', 'host', 'whois'],
    operands: 'named',
    rules: [
      checked(
        '',
        'looks up a name',
        (call) => {
          const texts = allTexts(call.args);
          const known =
            texts?.length &&
            texts.every((text) => /^(-type=\w+|-[tav46]|[\w.:]+[\w.:-]*)$/.test(text));
          return known
            ? { matches: true, flags: outside(call.args) ? ['egress'] : [] }
            : refuse('the name is decided at run time');
        },
        ['host -t mx example.com'],
        ['whois -h x y -p 1'],
      ),
    ],
  },
  {
    names: ['nc', 'netcat'],
    operands: 'named',
    rules: [
      checked('', 'tries whether a port is open', nc, ['nc -zv -w 1 10.0.0.5 22'], ['nc -l 4444']),
    ],
  },
];
