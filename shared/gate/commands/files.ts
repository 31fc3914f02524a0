import { candidates } from '../places.ts';
import type { Call, Match } from '../rule.ts';
import {
  changes,
  checked,
  destroys,
  hasWord,
  low,
  matchUse,
  operandsBeside,
  operandsOf,
  type Program,
  reads,
  refuse,
} from '../rule.ts';
import { secretsBelow } from '../secrets.ts';
import { overwrites } from './overwriting.ts';

const ANY = { anyOption: true } as const;

function looks(names: string, why: string, example: string): Program {
  return {
    names: names.split(' '),
    operands: 'named',
    rules: [reads('', why, ANY, [example], [`./${example}`])],
  };
}

const du = reads(
  '',
  'adds up the size of files',
  {
    short: 'shaxcbkmDLlS0',
    shortValue: 'dtB',
    long: 'summarize human-readable all one-file-system total apparent-size bytes si inodes time separate-dirs'.split(
      ' ',
    ),
    longValue: ['max-depth', 'threshold', 'exclude', 'block-size'],
    anyOption: false,
    named: true,
  },
  ['du -xh --max-depth=1 /', 'du -sh /var/log'],
  ['du --files0-from=/etc/shadow'],
);

/** Comparing whole trees prints what is in them. */
function diffTrees(call: Call): Match {
  const match = matchUse({ anyOption: true, shortValue: 'UCWx', prints: true }, call);
  if (!match.matches) return match;
  const recursive = call.args.some((arg) => /^-[A-Za-z]*r|^--recursive/.test(arg.text ?? ''));
  if (
    call.args.some((arg) => /^--(to-file|from-file|line-format|paginate)|^-l/.test(arg.text ?? ''))
  ) {
    return refuse('it names a further file in an option');
  }
  const trees = operandsOf(call).flatMap((arg) => candidates(arg.text ?? '/', call.directories));
  if (!recursive || trees.every((tree) => secretsBelow(tree) === 'none')) return match;
  const surely = trees.some((tree) => secretsBelow(tree) === 'surely');
  const why = 'prints what differs in trees that can hold secrets';
  const remark = surely
    ? ({ class: 'destructive', why, flags: ['secret'] } as const)
    : ({ class: 'config_mutation', why } as const);
  return { ...match, remarks: [remark] };
}

const systemTree = /^\/(etc|usr|bin|boot|var|lib|root|sbin)?\/?$/;
const wholeSystem = (call: Call): boolean =>
  call.args.some((arg) => /^-\w*R|^--recursive$/.test(arg.text ?? '')) &&
  call.args.some((arg) => systemTree.test(arg.text ?? ''));

/** Whether everything it deletes certainly lies below a folder the operator calls scratch. */
function inScratch(call: Call): boolean {
  const files = operandsOf(call);
  const plain = call.args.every((arg) => arg.text !== undefined && arg.text !== '--');
  const folders = call.policy.scratchFolders;
  return (
    plain &&
    files.length > 0 &&
    files.every((file) => folders.some((folder) => isBelow(file.text ?? '', folder)))
  );
}

// A path with `..` or a link on the way could lead out again: only plain names directly below.
function isBelow(path: string, folder: string): boolean {
  const rest = path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : '';
  return /^[\w-][\w.-]*$/.test(rest);
}

const rm: Program = {
  names: ['rm'],
  operands: 'named',
  rules: [
    destroys('', 'deletes files', ['rm -rf /srv/x'], ['ls x'], {
      if: (call) => !inScratch(call),
      objects: operandsOf,
    }),
    changes('', 'deletes files', ['rm -rf /srv/x'], []),
  ],
};

/** From where and whereto, without the values of options. */
const copiesOf = operandsBeside('-e --rsh --exclude --include --filter -f --bwlimit --rsync-path');

/** Looking at, copying, moving and deleting files. */
export const FILES: readonly Program[] = [
  looks('ls dir vdir', 'lists files', 'ls -la /srv'),
  looks('stat', "shows a file's size, owner and times", 'stat -c %a /srv'),
  looks('readlink realpath basename dirname', 'works out a path', 'readlink -f /bin/sh'),
  looks('df', 'shows how full filesystems are', 'df -h'),
  looks('namei', 'shows the rights along a path', 'namei -l /srv/x'),
  looks('getfacl lsattr', 'shows rights and attributes of files', 'getfacl /srv'),
  {
    names: ['tree'],
    operands: 'named',
    rules: [
      reads(
        '',
        'lists files as a tree',
        {
          short: 'adfhlpsugDCFinqv',
          shortValue: 'LIP',
          long: ['du', 'dirsfirst', 'noreport', 'prune'],
        },
        ['tree -L 2 /opt'],
        ['tree -o /etc/x /'],
      ),
    ],
  },
  { names: ['du'], operands: 'read', rules: [du] },
  {
    names: ['file'],
    operands: 'read',
    rules: [
      reads(
        '',
        'tells what kind of file it is',
        {
          short: 'bLhikzsr',
          long: ['brief', 'mime', 'mime-type', 'mime-encoding', 'dereference'],
          named: true,
        },
        ['file -b /usr/bin/ls'],
        ['file -f /etc/shadow', 'file --compile -m x'],
      ),
    ],
  },
  {
    names: ['diff', 'cmp', 'comm'],
    operands: 'read',
    rules: [
      checked(
        '',
        'compares files',
        diffTrees,
        ['diff a b', 'diff -r /usr/a /usr/b'],
        ['diff --to-file=x a'],
      ),
    ],
  },
  rm,
  deleting('unlink', 'deletes a file', 'unlink /srv/x'),
  deleting('rmdir', 'deletes a directory', 'rmdir /srv/x'),
  deleting('shred', 'wipes a file', 'shred -u key', '-n -s --iterations --size --random-source'),
  {
    names: ['rsync'],
    operands: 'read',
    launches: true,
    rules: [
      destroys(
        '',
        'deletes files that are missing on the other side',
        ['rsync -a --delete /a/ /b/'],
        ['rsync -a /a/ /b/'],
        {
          if: hasWord(/^--del/),
          objects: (call) => copiesOf(call).slice(-1),
        },
      ),
      destroys(
        '',
        'deletes what it has copied',
        ['rsync -a --remove-source-files /a /b'],
        ['rsync -a /a/ /b/'],
        {
          if: hasWord(/^--remove-s/),
          objects: (call) => copiesOf(call).slice(0, -1),
          confirmVerb: 'delete',
        },
      ),
      overwrites('rsync a /etc/fstab', 'rsync -a /a/ /b/'),
      changes('', 'copies files', ['rsync -a /a/ /b/'], []),
    ],
  },
  {
    names: ['mkdir'],
    operands: 'named',
    rules: [
      low(
        '',
        'makes a directory for temporary files',
        /^(-p )?\/tmp\/([\w.][\w.-]*)?[\w-](\/[\w][\w-]*)*$/,
        ['mkdir -p /tmp/x'],
        ['mkdir /tmp/../x'],
      ),
      changes('', 'makes a directory', ['mkdir /srv/x'], ['mkdir -p /tmp/x'], {
        if: (call) =>
          !call.args.every(
            (arg) => /^(-p|\/tmp\/.*)$/.test(arg.text ?? '') && !/\.\./.test(arg.text ?? ''),
          ),
      }),
    ],
  },
  {
    names: ['touch'],
    operands: 'named',
    rules: [
      low(
        '',
        'makes an empty temporary file',
        /^\/tmp\/[\w][\w-]*(\.[\w][\w-]*)*(\/[\w][\w-]*(\.[\w][\w-]*)*)*$/,
        ['touch /tmp/x'],
        ['touch /etc/nologin'],
      ),
      changes('', 'makes a file or sets its times', ['touch /etc/nologin'], ['touch /tmp/x'], {
        if: (call) =>
          !call.args.every((arg) => /^\/tmp\/[\w-]+([./][\w-]+)*$/.test(arg.text ?? '')),
      }),
    ],
  },
  {
    names: ['mktemp'],
    operands: 'named',
    rules: [
      low('', 'makes a temporary file', /^(-d)?$/, ['mktemp', 'mktemp -d'], ['mktemp -p /etc']),
    ],
  },
  {
    names: ['chmod', 'chown', 'chgrp'],
    operands: 'named',
    rules: [
      destroys(
        '',
        'changes rights of the whole system, which nobody can put back',
        ['chmod -R 777 /', 'chown -R x /etc'],
        ['chmod 644 /etc/x'],
        {
          if: wholeSystem,
          objects: (call) => operandsOf(call).slice(-1),
        },
      ),
      changes('', 'changes rights', ['chmod 644 /etc/x'], []),
    ],
  },
  mutating('ln', 'links files', 'ln -s a b', 'named'),
  mutating('setfacl', 'changes rights', 'setfacl -m u:x:r f', 'named'),
  mutating('split csplit', 'writes pieces of a file', 'split big', 'read'),
  mutating('patch', 'changes files', 'patch -p1', 'read'),
  mutating('vi vim nano ed ex emacs pico', 'edits files', 'vim /etc/hosts', 'read'),
];

function deleting(name: string, why: string, example: string, valued = ''): Program {
  return {
    names: [name],
    operands: 'named',
    rules: [destroys('', why, [example], ['ls x'], { objects: operandsBeside(valued) })],
  };
}

function mutating(
  names: string,
  why: string,
  example: string,
  operands: Program['operands'],
): Program {
  return { names: names.split(' '), operands, rules: [changes('', why, [example], ['ls x'])] };
}
