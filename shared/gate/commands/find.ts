import { guestTree } from '../guest-trees.ts';
import { candidates } from '../places.ts';
import {
  type Call,
  checked,
  destroys,
  hasWord,
  type Match,
  type Opened,
  type Program,
  type Remark,
  refuse,
} from '../rule.ts';
import { canBeSecretName, secretNamedBelow, secretsBelow } from '../secrets.ts';
import { escapePattern, isNoOption, literal, unknownWord, type Value } from '../value.ts';

const WITH_VALUE = new Set(
  'name iname path ipath wholename iwholename regex iregex lname ilname type xtype mtime mmin atime amin ctime cmin newer anewer cnewer newermt newerct size user group uid gid perm maxdepth mindepth links inum printf fstype samefile used regextype'.split(
    ' ',
  ),
);
const PLAIN = new Set(
  'print print0 ls empty prune xdev mount depth not a and o or readable writable executable nouser nogroup follow daystart noleaf quit true false warn nowarn H L P ignore_readdir_race'.split(
    ' ',
  ),
);

/** Programs that print what is in the files they are given. */
const PRINTERS =
  /^(cat|head|tail|tac|nl|less|more|strings|base64|xxd|od|hexdump|cut|sort|uniq|awk|gawk|sed|jq|yq|diff|zcat|xzcat|grep|egrep|fgrep|zgrep|rg|paste|column|fold|rev|tar|cp|rsync)$/;

interface Expression {
  readonly roots: readonly Value[];
  readonly names: readonly string[];
  readonly paths: readonly string[];
  readonly commands: readonly (readonly Value[])[];
}

function find(call: Call): Match {
  const read = readExpression(call.args);
  if (typeof read === 'string') return refuse(read);
  const remarks: Remark[] = [];
  const opens: Opened[] = [];
  for (const command of read.commands) {
    const [program] = command;
    if (program?.text === undefined || program.text.includes('{}'))
      return refuse('it runs the files it finds');
    if (printsFiles(command)) remarks.push(...foundSecrets(read, call));
    opens.push({ kind: 'argv', argv: command.map((word) => foundFile(word, read.names)) });
  }
  return { matches: true, reads: [], remarks, opens };
}

function readExpression(args: readonly Value[]): Expression | string {
  const end = args.findIndex((arg) => !isRoot(arg));
  const expression = {
    roots: args.slice(0, end < 0 ? args.length : end),
    names: [],
    paths: [],
    commands: [],
  };
  let at = expression.roots.length;
  while (at < args.length) {
    const step = readTerm(args, at, expression);
    if (typeof step === 'string') return step;
    at += step;
  }
  return expression;
}

interface Collected extends Expression {
  readonly names: string[];
  readonly paths: string[];
  readonly commands: (readonly Value[])[];
}

/** Reads one term and says how many words it took, or why it is refused. */
function readTerm(args: readonly Value[], at: number, into: Collected): number | string {
  const word = args[at]?.text;
  if (word === undefined) return 'a computed word could be an action';
  if (/^([()!,]|-O\d)$/.test(word)) return 1;
  const name = word.startsWith('-') ? word.slice(1) : '';
  if (PLAIN.has(name)) return 1;
  if (WITH_VALUE.has(name)) return readTest(name, args[at + 1], args[at - 1]?.text, into);
  if (name !== 'exec') return `the action ${word} is not known to be harmless`;
  const end = endOfCommand(args, at + 1);
  if (end < 0) return 'its -exec has no end';
  into.commands.push(args.slice(at + 1, end));
  return end + 1 - at;
}

function readTest(
  name: string,
  value: Value | undefined,
  before: string | undefined,
  into: Collected,
): number | string {
  if (value?.words !== 'one') return `the value of -${name} may become several words`;
  const negated = before === '!' || before === '-not';
  const text = /^i/.test(name) ? value.text?.toLowerCase() : value.text;
  if (/^i?name$/.test(name) && text !== undefined && !negated) into.names.push(text);
  if (/^i?(path|wholename|regex)$/.test(name)) into.paths.push(text ?? '*');
  return 2;
}

function isRoot(value: Value): boolean {
  if (value.text === undefined) return isNoOption(value) && value.prefix.startsWith('/');
  return isNoOption(value) && !/^[()!,]$/.test(value.text);
}

function endOfCommand(args: readonly Value[], from: number): number {
  return args.findIndex(
    (arg, i) => i >= from && (arg.text === ';' || (arg.text === '+' && args[i - 1]?.text === '{}')),
  );
}

/** Whether a command prints the contents of the files it is given, rather than only their names. */
export function printsFiles(command: readonly Value[]): boolean {
  const name = (command[0]?.text ?? '').replace(/^.*\//, '');
  if (!PRINTERS.test(name)) return false;
  const onlyLists = command.some((word) => /^-[a-zA-Z]*[lcqL][a-zA-Z]*$/.test(word.text ?? ''));
  return !(/grep|^rg$/.test(name) && onlyLists);
}

/** What printing the found files could give away, by their names and the trees they lie in. */
function foundSecrets(read: Expression, call: Call): readonly Remark[] {
  const secretPath = read.paths.some(
    (path) => /ssh|shadow|secret|priv|\.env|key|environ/i.test(path) || canBeSecretName(path),
  );
  const roots = read.roots.length > 0 ? read.roots : [literal('.')];
  const trees = roots.flatMap((root) => candidates(root.text ?? root.prefix, call.directories));
  const secretName = read.names.some((name) => trees.some((tree) => secretNamedBelow(tree, name)));
  const foreign = trees.map((tree) => guestTree(tree, call.facts)).find((tree) => tree);
  if (foreign) return [{ class: 'config_mutation', why: foreign.why }];
  const inSecretTree = trees.some((tree) => secretsBelow(tree) === 'surely');
  const why = 'prints files whose names fit a secret';
  if (secretName || secretPath) return [{ class: 'destructive', why, flags: ['secret'] }];
  if (read.names.length > 0 && read.paths.length === 0 && !trees.some(isSecretTree)) return [];
  if (inSecretTree)
    return [
      { class: 'destructive', why: 'prints files of a tree that holds secrets', flags: ['secret'] },
    ];
  return [{ class: 'config_mutation', why: 'prints files chosen at run time' }];
}

const isSecretTree = (tree: string): boolean => /\/\.ssh|\/priv|\/secrets/.test(tree);

/** What `{}` stands for inside the command: a file below the roots with one of the names. */
function foundFile(word: Value, names: readonly string[]): Value {
  if (!word.text?.includes('{}')) return word;
  const name = names.length === 1 && names[0] !== undefined ? names[0] : '**';
  const parts = word.text.split('{}').map(escapePattern);
  return unknownWord('one', parts.join(`/found/${name}`), parts[0] === '' ? '/' : parts[0]);
}

/** What printing the files gives away that a piped `find` names. Undefined: it is no such list. */
export function secretsFound(command: readonly Value[], call: Call): readonly Remark[] | undefined {
  if (namesFound(command) === undefined) return undefined;
  const read = readExpression(command.slice(1));
  return typeof read === 'string' ? undefined : foundSecrets(read, call);
}

/** The names `find` was asked for, when its output is piped on. */
export function namesFound(command: readonly Value[]): readonly string[] | undefined {
  if (command[0]?.text !== 'find') return undefined;
  // Its own format could print anything, also what another program takes for an option.
  if (command.some((word) => /^-(printf|ls)$/.test(word.text ?? '-ls'))) return undefined;
  const read = readExpression(command.slice(1));
  return typeof read === 'string' ? undefined : read.names;
}

const RUNS = /^-(exec|execdir|ok|okdir)$/;

/** The commands of every action that runs one, harmless or not. */
function runs(call: Call): Match {
  const opens: Opened[] = [];
  call.args.forEach((arg, i) => {
    if (!RUNS.test(arg.text ?? '') || arg.text === '-exec') return;
    const end = endOfCommand(call.args, i + 1);
    const argv = call.args.slice(i + 1, end < 0 ? undefined : end);
    opens.push({ kind: 'argv', argv: argv.map((word) => foundFile(word, [])) });
  });
  return opens.length > 0 ? { matches: true, opens } : { matches: false };
}

export const FIND: readonly Program[] = [
  {
    names: ['find'],
    operands: 'named',
    rules: [
      checked(
        '',
        'looks for files',
        find,
        ['find /var/log -name "*.log" -mtime -1', 'find /var -type f -exec ls -l {} +'],
        ['find / -fprint /etc/x', 'find . -delete', 'find /srv -ok ls {} +'],
      ),
      {
        ...checked(
          '',
          'runs a command on every file it finds',
          runs,
          ['find /srv -execdir ls {} +'],
          ['find /srv'],
        ),
        class: 'config_mutation',
      },
      destroys(
        '',
        'deletes every file it finds',
        ['find /var/log -name "*.gz" -delete'],
        ['find /srv'],
        {
          if: hasWord(/^-delete$/),
          objects: (call) => {
            const roots = call.args.slice(
              0,
              Math.max(
                0,
                call.args.findIndex((arg) => !isRoot(arg)),
              ),
            );
            return roots.length > 0 ? roots : [literal('.')];
          },
        },
      ),
    ],
  },
];
