import { comesNothing } from '../nothing.ts';
import {
  candidates,
  isAccountFile,
  isKernelTrigger,
  isRawDevice,
  isVitalFile,
  isVitalPlace,
  isWatchdog,
} from '../places.ts';
import { type Call, changes, destroys, lineOf, operandsOf, type Program } from '../rule.ts';
import { literal, unknownWord, type Value } from '../value.ts';

/** What `dd` is given under a name: `of=/dev/sdb`. */
function valuesOf(name: string, call: Call): readonly Value[] {
  const start = `${name}=`;
  return call.args
    .filter((arg) => arg.prefix.startsWith(start))
    .map((arg) =>
      arg.text === undefined
        ? unknownWord('one', '**', arg.prefix.slice(start.length))
        : literal(arg.text.slice(start.length)),
    );
}

const toDevice = (call: Call): boolean =>
  call.args.some((arg) => isRawDevice((arg.text ?? arg.prefix).replace(/^of=/, '')));

/** Whether a word, from wherever the command may stand, names a place of this kind. */
const names =
  (isKind: (path: string) => boolean) =>
  (call: Call, value: Value): boolean =>
    value.text !== undefined && candidates(value.text, call.directories).some(isKind);

const namesTrigger = names((path) => isKernelTrigger(path) || isWatchdog(path));
const namesVital = names(isVitalFile);
const namesVitalPlace = names(isVitalPlace);
const namesAccounts = names(isAccountFile);

/** What tee overwrites that nobody can bring back, or that acts at once. */
function lostByTee(call: Call): readonly Value[] {
  const files = operandsOf(call);
  const appends = call.args.some((arg) => /^-\w*a|^--append$/.test(arg.text ?? ''));
  if (!appends && comesNothing(call.input)) return files;
  return files.filter(
    (file) =>
      isRawDevice(file.text ?? file.prefix) ||
      namesTrigger(call, file) ||
      (!appends && namesVital(call, file)),
  );
}

/** What is copied from: the operands but the last, or all of them where an option names the goal. */
function sourcesOf(call: Call): readonly Value[] {
  const files = operandsOf(call);
  const goal = call.args.some((arg) => /^(-t|--target-directory)/.test(arg.text ?? ''));
  return goal ? files : files.slice(0, -1);
}

/** The account files and the like that a copy or a move replaces. */
function replaced(call: Call): readonly Value[] {
  return operandsOf(call)
    .slice(-1)
    .filter((file) => namesAccounts(call, file));
}

// The last of several sizes counts.
const growsOnly = (line: string): boolean => {
  const sizes = line.match(/(?<=^| )(-\w*s ?|--si\w*[= ])\S*/g) ?? [];
  return sizes.length === 1 && /(s|[= ])\+\d/.test(sizes[0]);
};

/** Its files, without the size. */
const cutFiles = (call: Call): readonly Value[] =>
  operandsOf(call).filter((file) => {
    const before = call.args[call.args.indexOf(file) - 1]?.text;
    return !/^(-\w*[sr]|--size|--reference)$/.test(before ?? '');
  });

const EMPTIES = (name: string) =>
  destroys('', 'empties a file', [`${name} /dev/null /var/log/syslog`], [`${name} a b`], {
    if: (call) => operandsOf(call)[0]?.text === '/dev/null',
    objects: (call) => operandsOf(call).slice(1),
    confirmVerb: 'overwrite',
  });
const REPLACES = (name: string) =>
  destroys('', 'replaces the accounts or mounts', [`${name} a /etc/passwd`], [`${name} a b`], {
    if: (call) => replaced(call).length > 0,
    objects: replaced,
    confirmVerb: 'overwrite',
  });

/** Copying and moving, which can overwrite, empty or take away. */
export const OVERWRITING: readonly Program[] = [
  {
    names: ['cp'],
    operands: 'read',
    rules: [
      destroys('', 'overwrites a device', ['cp /dev/zero /dev/sdb'], ['cp a b'], { if: toDevice }),
      EMPTIES('cp'),
      REPLACES('cp'),
      changes('', 'copies files', ['cp a b'], []),
    ],
  },
  {
    names: ['tee'],
    operands: 'read',
    rules: [
      destroys(
        '',
        'empties a file, overwrites a device or acts on the machine at once',
        ['tee /dev/sda', 'tee -a /proc/sysrq-trigger', 'tee /etc/fstab'],
        ['tee x', 'tee -a /etc/fstab'],
        {
          if: (call) => lostByTee(call).length > 0,
          objects: lostByTee,
          confirmVerb: 'overwrite',
        },
      ),
      changes('', 'writes what it reads into files', ['tee -a /etc/x'], []),
    ],
  },
  {
    names: ['dd'],
    operands: 'read',
    rules: [
      destroys('', 'overwrites a device', ['dd if=a of=/dev/sdb'], ['dd if=a of=b'], {
        if: (call) => valuesOf('of', call).some((value) => isRawDevice(value.prefix)),
        objects: (call) => valuesOf('of', call),
      }),
      destroys('', 'reads a raw device', ['dd if=/dev/sda bs=1M'], ['dd if=a of=b'], {
        if: (call) => valuesOf('if', call).some((value) => isRawDevice(value.prefix)),
        objects: (call) => valuesOf('if', call),
        confirmVerb: 'read',
      }),
      destroys('', 'empties a file', ['dd if=/dev/null of=/srv/x'], ['dd if=a of=b'], {
        if: (call) => valuesOf('if', call).some((value) => value.text === '/dev/null'),
        objects: (call) => valuesOf('of', call),
        confirmVerb: 'overwrite',
      }),
      changes('', 'copies blocks into a file', ['dd if=a of=b'], []),
    ],
  },
  {
    names: ['truncate'],
    operands: 'read',
    rules: [
      destroys(
        '',
        'cuts a file',
        ['truncate -s 0 /var/log/x', 'truncate -s -5M /srv/x'],
        ['truncate -s +5M /srv/x'],
        { if: (call) => !growsOnly(lineOf(call)), objects: cutFiles },
      ),
      changes('', 'lengthens a file', ['truncate -s +5M /srv/x'], []),
    ],
  },
  {
    names: ['mv'],
    operands: 'read',
    rules: [
      destroys(
        '',
        'takes away what the running machine cannot do without',
        ['mv /lib /lib.old', 'mv /usr /mnt/'],
        ['mv /opt/a /opt/b', 'mv /srv/lib /srv/x'],
        {
          if: (call) => sourcesOf(call).some((file) => namesVitalPlace(call, file)),
          objects: sourcesOf,
        },
      ),
      REPLACES('mv'),
      destroys('', 'throws files away', ['mv /srv/x /dev/null'], ['mv a b'], {
        if: (call) => operandsOf(call).at(-1)?.text === '/dev/null',
        objects: sourcesOf,
      }),
      changes('', 'moves files', ['mv a b'], []),
    ],
  },
  {
    names: ['install'],
    operands: 'read',
    rules: [
      EMPTIES('install'),
      REPLACES('install'),
      changes('', 'copies files with rights', ['install -m 600 a b'], []),
    ],
  },
];
