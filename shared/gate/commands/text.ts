import { refuseEncoding, refuseTranslation } from '../checkers/encoders.ts';
import { given, type OptionSpec } from '../options.ts';
import { type Directory, START_DIRECTORIES } from '../places.ts';
import { leavesOf } from '../recognisable.ts';
import {
  type Call,
  changes,
  checked,
  type Match,
  matchUse,
  type Program,
  type Remark,
  reads,
  refuse,
} from '../rule.ts';
import { secretsBelowWord } from '../secrets.ts';
import { isNoOption, type Value } from '../value.ts';
import { overwrites } from './overwriting.ts';

function prints(
  names: string,
  why: string,
  example: string,
  odd = /^$/,
  refuses: (call: Call) => string | undefined = () => undefined,
): Program {
  return {
    names: names.split(' '),
    operands: 'read',
    rules: [
      reads(
        '',
        why,
        {
          anyOption: true,
          check: (_parsed, call) => refuses(call) ?? printed(call, odd),
        },
        [example],
        [`./${example}`],
      ),
    ],
  };
}

// Every word that is no option may be a file; so may the value glued to one.
function printed(call: Call, odd: RegExp): string | Match {
  if (call.args.some((arg) => arg.text !== undefined && odd.test(arg.text)))
    return 'an option names a further file';
  return {
    matches: true,
    reads: call.args.filter((arg) => isNoOption(arg) || arg.text === undefined),
  };
}

const FOLLOWS = /^-[a-zA-Z]*[fF]$|^--(f|r)/;

function tail(call: Call): Match {
  const match = printed(call, /^$/);
  if (typeof match === 'string' || !match.matches) return refuse('odd option');
  const follows = call.args.some((arg) => FOLLOWS.test(arg.text ?? ''));
  return follows ? { ...match, flags: ['unbounded'] } : match;
}

const GREP: OptionSpec = {
  short: 'ivncqlLhHrRowxEFGPasyzUbTZu',
  shortValue: 'efmABCDd',
  numbers: true,
  long: 'line-buffered count ignore-case invert-match recursive no-messages quiet silent text files-with-matches files-without-match only-matching extended-regexp fixed-strings perl-regexp line-number no-filename with-filename word-regexp line-regexp null binary dereference-recursive basic-regexp'.split(
    ' ',
  ),
  longValue:
    'include exclude exclude-dir max-count after-context before-context context regexp file label binary-files exclude-from directories devices'.split(
      ' ',
    ),
  longMaybe: ['color', 'colour'],
  openOperands: true,
};

const RIPGREP: OptionSpec = {
  short: 'nilcvwxFHNosSuUaPq0L',
  shortValue: 'eABCmgtT',
  long: 'no-heading hidden no-ignore count files-with-matches json line-number ignore-case files stats no-line-number fixed-strings'.split(
    ' ',
  ),
  longValue:
    'max-count context glob type max-depth after-context before-context regexp color'.split(' '),
};

function search(spec: OptionSpec, alwaysRecursive: boolean): (call: Call) => Match {
  return (call) =>
    matchUse(
      {
        ...spec,
        check: (parsed, inner) => {
          const listed =
            given(parsed, 'l', 'L', 'c', 'q', 'count', 'quiet', 'files-with-matches').length > 0;
          const named = given(parsed, 'e', 'regexp', 'f', 'file', 'files').length > 0;
          const files = named ? parsed.operands : parsed.operands.slice(1);
          const patternFiles = given(parsed, 'f', 'file');
          const recursive =
            alwaysRecursive ||
            given(parsed, 'r', 'R', 'recursive', 'dereference-recursive', 'd', 'directories')
              .length > 0;
          return found(inner, files, patternFiles, listed, recursive);
        },
      },
      call,
    );
}

function found(
  call: Call,
  files: readonly Value[],
  patternFiles: readonly Value[],
  listed: boolean,
  recursive: boolean,
): Match {
  if (listed) return { matches: true, reads: patternFiles };
  const trees = recursive ? (files.length > 0 ? files : []) : [];
  const remarks = [
    ...trees
      .flatMap((tree) => treeRemark(tree, call))
      .filter((remark) => remark !== PERHAPS || leavesOf('grep', call.args) !== 'part'),
    ...(recursive && files.length === 0 && call.input.kind !== 'pipe' ? [PERHAPS] : []),
  ];
  return { matches: true, reads: [...files, ...patternFiles], remarks };
}

const PERHAPS: Remark = {
  class: 'config_mutation',
  why: 'prints lines from a whole tree that may hold secrets',
};

// Before any `cd` a relative path lies in the login directory, or anywhere in a container.
const isUsualStart = (directories: readonly Directory[]): boolean =>
  directories === START_DIRECTORIES;

function treeRemark(tree: Value, call: Call): readonly Remark[] {
  const answer = secretsBelowWord(tree, call.directories);
  const named = tree.text?.startsWith('/') ?? tree.prefix.startsWith('/');
  if (answer === 'surely' && (named || !isUsualStart(call.directories))) {
    const why = 'prints lines from a tree that holds secrets';
    return [
      { class: 'destructive', why, flags: ['secret'], object: { verb: 'read', value: tree } },
    ];
  }
  return answer === 'none' ? [] : [PERHAPS];
}

const grepRule = (alwaysRecursive: boolean, spec: OptionSpec) =>
  checked(
    '',
    'searches text',
    search(spec, alwaysRecursive),
    alwaysRecursive ? ['rg -i error /var/log/app'] : ['grep -i error /var/log/syslog'],
    alwaysRecursive ? ['rg --pre sh x'] : ['./grep x'],
  );

/** Printing, searching and counting text. */
export const TEXT: readonly Program[] = [
  prints('cat tac nl', 'prints files', 'cat /etc/hosts'),
  prints('head', 'prints the first lines of files', 'head -20 /var/log/syslog'),
  prints('wc', 'counts lines and words', 'wc -l /etc/hosts', /^--files0/),
  prints(
    'cut fold expand unexpand paste column join look fmt',
    'rearranges text',
    'cut -d: -f1 /etc/passwd',
  ),
  prints('tr', 'changes letters', 'tr -s x', /^$/, refuseTranslation),
  prints('rev', 'turns lines around', 'rev /etc/hostname', /^$/, refuseEncoding),
  prints('strings', 'prints text among bytes', 'strings /etc/hostname', /^(-f|--format-file)|^@/),
  prints(
    'od hexdump',
    'prints bytes',
    'od -c /etc/hostname',
    /^(-f|--format-file)|^@/,
    refuseEncoding,
  ),
  prints(
    'md5sum sha1sum sha224sum sha256sum sha384sum sha512sum cksum b2sum sum',
    'works out checksums',
    'md5sum /etc/hosts',
  ),
  prints('base64 base32', 'encodes text', 'base64 /etc/hostname', /^$/, refuseEncoding),
  {
    names: ['zcat', 'xzcat', 'bzcat', 'zstdcat'],
    operands: 'read',
    rules: [
      reads(
        '',
        'prints compressed files',
        { short: 'fqv', prints: true },
        ['zcat /var/log/syslog.2.gz'],
        ['zstdcat -o x f'],
      ),
    ],
  },
  {
    names: ['tail'],
    operands: 'read',
    rules: [
      {
        ...checked(
          '',
          'prints the last lines of files',
          tail,
          ['tail -n 100 /var/log/syslog'],
          ['./tail x'],
        ),
        safer: 'tail -n 200 FILE',
      },
    ],
  },
  {
    names: ['sort'],
    operands: 'read',
    rules: [
      reads(
        '',
        'sorts text',
        {
          short: 'bdfghiMnRrVcCmsuz',
          shortValue: 'ktS',
          long: 'reverse numeric-sort human-numeric-sort unique version-sort ignore-case stable check zero-terminated general-numeric-sort month-sort'.split(
            ' ',
          ),
          longValue: ['key', 'field-separator', 'parallel'],
          prints: true,
        },
        ['sort -k2 -h f'],
        ['sort -o x y', 'sort --outp x y', 'sort --compress-program=sh x', 'sort -T /etc f'],
      ),
      overwrites('sort -o x /dev/null', 'sort -o x y'),
    ],
  },
  {
    names: ['uniq'],
    operands: 'read',
    rules: [
      reads(
        '',
        'drops repeated lines',
        {
          short: 'cdDiuz',
          shortValue: 'fsw',
          long: ['count', 'repeated', 'unique', 'ignore-case'],
          longValue: ['skip-fields', 'skip-chars'],
          operands: 1,
          prints: true,
        },
        ['uniq -c', 'uniq in'],
        ['uniq in out'],
      ),
    ],
  },
  {
    names: ['xxd'],
    operands: 'read',
    rules: [
      reads(
        '',
        'prints bytes',
        {
          short: 'bceipsuEg',
          shortValue: 'lsc',
          operands: 1,
          prints: true,
          check: (_parsed, call) => refuseEncoding(call),
        },
        ['xxd -l 32 f'],
        ['xxd -r in out'],
      ),
    ],
  },
  {
    names: ['shuf'],
    operands: 'read',
    rules: [
      reads(
        '',
        'shuffles lines',
        { short: 'erz', shortValue: 'ni', longValue: ['head-count'], prints: true },
        ['shuf -n 3 f'],
        ['shuf -o x f'],
      ),
    ],
  },
  {
    names: ['iconv'],
    operands: 'read',
    rules: [
      reads(
        '',
        'recodes text',
        { short: 'lc', shortValue: 'ft', prints: true },
        ['iconv -f latin1 -t utf8 f'],
        ['iconv -o out f'],
      ),
    ],
  },
  {
    names: ['grep', 'egrep', 'fgrep', 'zgrep', 'xzgrep', 'bzgrep', 'zegrep'],
    operands: 'read',
    rules: [grepRule(false, GREP)],
  },
  { names: ['rg'], operands: 'read', rules: [grepRule(true, RIPGREP)] },
  {
    names: ['less', 'more', 'most', 'man', 'info'],
    operands: 'read',
    rules: [
      changes('', 'opens a pager that waits for keys and can run commands', ['less f'], ['cat f'], {
        flags: ['unbounded'],
        safer: 'head -n 200 FILE',
      }),
    ],
  },
];
