import { isReservedVariable, isSafeEnvironment } from '../environment.ts';
import {
  type Call,
  changes,
  checked,
  destroys,
  hasWord,
  low,
  type Match,
  type Program,
  phrase,
  type Rule,
  reads,
  refuse,
  theTarget,
} from '../rule.ts';
import { allTexts } from '../value.ts';

function builtin(names: string, ...rules: Rule[]): Program {
  return { names: names.split(' '), operands: 'named', rules };
}

const ANY = { anyOption: true } as const;
const RELEASE = /^(\/etc|\/usr\/lib)\/(os|lsb)-release$/;

function test(call: Call): Match {
  const at = call.args.findIndex((arg) => arg.text === '-v' || arg.text === '-R');
  if (at >= 0 && !/^[A-Za-z_]\w*$/.test(call.args[at + 1]?.text ?? ''))
    return refuse('-v evaluates its operand');
  return call.args.some((arg) => arg.words === 'any')
    ? refuse('a computed word can split')
    : { matches: true };
}

function printf(call: Call): Match {
  const [format] = call.args;
  const plain =
    format?.text !== undefined
      ? !format.text.startsWith('-') || format.text === '--'
      : format?.prefix !== '' && !format?.prefix.startsWith('-');
  if (/%[^%a-zA-Z]*(\*|\d{5})/.test(format?.text ?? '')) return refuse('it pads without end');
  return format && plain ? { matches: true } : refuse('its format is missing or an option');
}

/** A loop over them holds all of its numbers in memory first. */
function seq({ args }: Call): Match {
  const plain = args.every(
    ({ text }) =>
      text === undefined ||
      /^(-?\d{1,6}(\.\d)?|-[ws].*|-f|[^\w-]{1,3}|\D*%[\d.]{0,4}[efg]\D*)$/.test(text),
  );
  return plain ? { matches: true } : refuse('it counts too far, or in an odd spelling');
}

function read(call: Call): Match {
  const texts = allTexts(call.args);
  if (!texts) return refuse('a name is decided at run time');
  let named = false;
  for (let i = 0; i < texts.length; i++) {
    const text = texts[i] ?? '';
    if (/^-[rs]+$/.test(text)) continue;
    if (/^-r?[dntpu]$/.test(text)) i++;
    else if (text === '_' || (/^[a-z_][A-Za-z0-9_]*$/.test(text) && !isReservedVariable(text)))
      named = true;
    else return refuse(`it may not set ${text}`);
  }
  return named ? { matches: true } : refuse("it sets the shell's own variable");
}

function set(call: Call): Match {
  const texts = allTexts(call.args);
  if (!texts || texts.length === 0) return refuse('it prints or changes variables');
  for (let i = 0; i < texts.length; i++) {
    const text = texts[i] ?? '';
    if (/^[-+][eu]+$/.test(text)) continue;
    const named =
      /^[-+][eu]*o$/.test(text) && /^(pipefail|errexit|nounset)$/.test(texts[i + 1] ?? '');
    if (!named) return refuse(`the option ${text} is not known to be harmless`);
    i++;
  }
  return { matches: true };
}

function cd(call: Call): Match {
  const operands = call.args.filter((arg) => !/^(--|-P|-L)$/.test(arg.text ?? ''));
  if (operands.length > 1) return refuse('more operands than it needs');
  return operands.every((arg) => arg.words === 'one')
    ? { matches: true }
    : refuse('the directory is decided at run time');
}

/** A file of the system that only gives its own name and version. */
const isRelease = (call: Call): boolean =>
  call.args.length === 1 && RELEASE.test(call.args[0]?.text ?? '');

/** `LC_ALL=C`, `TZ=UTC`: names whose values only change how output looks. */
const displaysOnly = (call: Call): boolean =>
  call.args.length > 0 &&
  call.args.every(({ text }) => {
    const [, name = '', value] = /^(\w+)=(.*)$/s.exec(text ?? '') ?? [];
    return isSafeEnvironment(name, value?.replace(/^(["'])(.*)\1$/s, '$2'));
  });

const noArguments = (call: Call): boolean => call.args.length === 0;
const printsAll = (
  name: string,
  condition: (call: Call) => boolean,
  example: string,
  not: string,
): Rule =>
  destroys('', 'prints every variable, some of which can be secrets', [example], [not], {
    if: condition,
    flags: ['secret'],
    confirmVerb: name,
    objects: theTarget,
  });

/** What the shell does itself. */
export const BUILTINS: readonly Program[] = [
  builtin('echo', reads('', 'prints its words', ANY, ['echo hi'], ['./echo hi'])),
  builtin('printf', checked('', 'prints its words', printf, ["printf '%s' x"], ['printf -v x y'])),
  builtin(
    'true false : pwd dirs times',
    reads('', 'does nothing lasting', ANY, ['true'], ['./true']),
  ),
  builtin('seq', checked('', 'counts', seq, ['seq 1 5'], ['seq inf', 'seq 1e9'])),
  builtin(
    'test [',
    checked('', 'tests a condition', test, ['test -d /srv', '[ -f x ]'], ['test -v a[0]']),
  ),
  builtin('cd pushd', checked('', 'changes the directory', cd, ['cd /opt'], ['cd a b'])),
  builtin('popd', phrase('', 'changes the directory', /^$/, ['popd'], ['popd x'])),
  builtin(
    'read',
    checked('', 'reads a line into variables', read, ['read -r line'], ['read PATH', 'read']),
  ),
  builtin(
    'set',
    checked('', 'makes the script stricter', set, ['set -euo pipefail'], ['set -x']),
    printsAll('set', noArguments, 'set', 'set -e'),
  ),
  builtin(
    'exit return break continue',
    phrase('', 'ends here', /^\d{0,3}$/, ['exit 1'], ['exit x']),
  ),
  builtin('wait', phrase('', 'waits for jobs', /^(\d+)?$/, ['wait'], ['wait -n x'])),
  builtin('jobs', phrase('', 'lists jobs', /^(-l)?$/, ['jobs'], ['jobs -x ls'])),
  builtin('type', reads('', 'tells what a command is', ANY, ['type ls'], ['./type ls'])),
  builtin(
    'ulimit',
    phrase('', 'shows limits', /^(-a|-[SH]?n|-[SH]a)?$/, ['ulimit -a'], ['ulimit -n 5']),
  ),
  builtin('umask', phrase('', 'shows the mask', /^(-S)?$/, ['umask'], ['umask 000'])),
  builtin(
    'printenv',
    printsAll('printenv', () => true, 'printenv', 'env x'),
  ),
  builtin(
    'export',
    printsAll(
      'export',
      (call) => noArguments(call) || hasWord(/^-p$/)(call),
      'export -p',
      'export A=b',
    ),
    checked(
      '',
      'sets how output looks',
      (call) => (displaysOnly(call) ? { matches: true } : refuse('it sets a variable')),
      ['export LC_ALL=C'],
      ['export A=b'],
    ),
    changes('', 'sets a variable for later commands', ['export A=b'], ['export -p'], {
      if: (call) => call.args.length > 0 && !hasWord(/^-p$/)(call) && !displaysOnly(call),
    }),
  ),
  builtin(
    'alias',
    phrase('', 'lists short names', /^(-p)?$/, ['alias'], ['alias ls=x']),
    changes('', 'changes how the shell behaves', ['alias ls=x'], ['alias'], {
      if: (call) => call.args.length > 0,
    }),
  ),
  builtin(
    'declare typeset',
    printsAll(
      'declare',
      (call) => noArguments(call) || call.args.every((arg) => /^-[pxfF]+$/.test(arg.text ?? '')),
      'declare -p',
      'declare a=1',
    ),
  ),
  builtin(
    'unalias bind complete compgen enable fc history shopt unset local readonly let mapfile readarray hash disown suspend logout caller getopts help',
    changes('', 'changes how the shell behaves', ['unset x'], ['true']),
  ),
  {
    names: ['.', 'source'],
    operands: 'read',
    rules: [
      phrase(
        '',
        'takes over the names of the system release',
        RELEASE,
        ['. /etc/os-release'],
        ['. /tmp/os-release', '. /etc/os-release x'],
      ),
      changes('', 'runs a script that cannot be seen', ['. ./x'], ['. /etc/os-release'], {
        flags: ['opaque'],
        if: (call) => !isRelease(call),
      }),
    ],
  },
  builtin(
    'tput',
    phrase('', 'asks about the terminal', /^(cols|lines|colors)$/, ['tput cols'], ['tput reset']),
  ),
  builtin('mesg', low('', 'stops messages', /^n$/, ['mesg n'], ['mesg y'])),
];
