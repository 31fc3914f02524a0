import { refuseAwk } from '../checkers/awk.ts';
import { refuseJq } from '../checkers/jq.ts';
import { refuseSed } from '../checkers/sed.ts';
import { given, type OptionSpec, parseOptions } from '../options.ts';
import { type Call, checked, type Match, type Program, refuse } from '../rule.ts';
import { allTexts, type Value } from '../value.ts';

/** A program whose first operand is a text in a small language, followed by files. */
function language(
  spec: OptionSpec,
  check: (text: string) => string | undefined,
  scriptOptions: readonly string[] = [],
): (call: Call) => Match {
  return (call) => {
    const parsed = parseOptions(spec, call.args);
    if ('because' in parsed) return refuse(parsed.because);
    const scripts = given(parsed, ...scriptOptions);
    const own = scripts.length > 0 ? 0 : 1;
    const text = programText(own === 0 ? scripts : parsed.operands.slice(0, 1));
    if (text === undefined) return refuse('its program is missing or decided at run time');
    const refusal = check(text);
    if (refusal !== undefined) return refuse(refusal);
    const endless = /while\s*\(\s*1\s*\)|for\s*\(\s*;\s*;\s*\)/.test(text);
    const files = parsed.operands.slice(own).filter(isFile);
    return { matches: true, reads: files, flags: endless ? ['unbounded'] : [] };
  };
}

function programText(parts: readonly Value[]): string | undefined {
  return parts.length === 0 ? undefined : allTexts(parts)?.join('\n');
}

// `name=value` among awk's files sets a variable.
function isFile(value: Value): boolean {
  return value.text === undefined || !/^[A-Za-z_]\w*=/.test(value.text);
}

const AWK: OptionSpec = { shortValue: 'Fv', stopAtOperand: true };
const SED: OptionSpec = {
  short: 'nErszu',
  shortValue: 'e',
  long: [
    'quiet',
    'silent',
    'regexp-extended',
    'sandbox',
    'null-data',
    'separate',
    'posix',
    'unbuffered',
  ],
  longValue: ['expression'],
};
const JQ: OptionSpec = {
  short: 'rcMSnesjaCR',
  long: 'raw-output compact-output sort-keys null-input exit-status slurp raw-input join-output color-output monochrome-output tab'.split(
    ' ',
  ),
  longValue: ['indent'],
};
const YQ: OptionSpec = {
  short: 'rPNCMe',
  long: ['raw-output', 'prettyPrint', 'no-colors', 'unwrapScalar'],
  shortValue: 'op',
  longValue: ['output-format', 'input-format'],
};

/** `--arg name value` takes two words; the value is only data. */
function jq(call: Call): Match {
  const args: Value[] = [];
  for (let i = 0; i < call.args.length; i++) {
    const arg = call.args[i];
    if (arg?.text === '--arg' || arg?.text === '--argjson') {
      if (call.args[i + 1]?.words !== 'one' || call.args[i + 2]?.words !== 'one') {
        return refuse('the value of --arg may become several words');
      }
      i += 2;
    } else if (arg) args.push(arg);
  }
  const bare = args.length === 0 || args.every((arg) => /^-[rcMSC]+$/.test(arg.text ?? ''));
  if (bare) return { matches: true, reads: [] };
  return language(JQ, refuseJq)({ ...call, args });
}

function yq(call: Call): Match {
  const verb = call.args[0]?.text;
  const args = verb === 'e' || verb === 'eval' ? call.args.slice(1) : call.args;
  const check = (text: string): string | undefined =>
    refuseJq(text) ??
    (/=(?!=)/.test(text.replace(/[!<>=]=/g, '')) ? 'the expression assigns' : undefined);
  return language(YQ, check)({ ...call, args });
}

/** Programs given as an argument: read and understood, or refused. */
export const LANGUAGES: readonly Program[] = [
  {
    names: ['awk', 'gawk', 'mawk', 'nawk'],
    operands: 'read',
    rules: [
      checked(
        '',
        'picks and counts text',
        language(AWK, refuseAwk),
        ["awk '{print $1}' /var/log/x"],
        [
          'awk \'BEGIN{system("id")}\'',
          'awk -f x',
          'awk \'{print > "x"}\'',
          'awk \'BEGIN{x++ / system("id") / 1}\'',
          'awk \'{if(1)/"/;system("id");/"/}\'',
        ],
      ),
    ],
  },
  {
    names: ['sed'],
    operands: 'read',
    rules: [
      checked(
        '',
        'prints changed text',
        language(SED, refuseSed, ['e', 'expression']),
        ["sed -n '10,20p' f", "sed 's/#.*//' f"],
        ['sed -i s/a/b/ f', "sed 's/a/b/e' f", "sed -n 'w x' f", 'sed -f x f'],
      ),
    ],
  },
  {
    names: ['jq'],
    operands: 'read',
    rules: [
      checked(
        '',
        'picks values out of JSON',
        jq,
        ['jq .a f', 'jq -r .a[] f'],
        ['jq -n env', 'jq -f x', 'jq \'include "x"; .\' f'],
      ),
    ],
  },
  {
    names: ['yq'],
    operands: 'read',
    rules: [
      checked(
        '',
        'picks values out of YAML',
        yq,
        ['yq .a f'],
        ['yq -i .a=1 f', 'yq -n \'load("x")\''],
      ),
    ],
  },
];
