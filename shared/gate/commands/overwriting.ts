import { canMatch } from '../globs.ts';
import { comesNothing } from '../nothing.ts';
import { given, type OptionSpec, parseOptions } from '../options.ts';
import { overwritten, valuesOf } from '../overwritten.ts';
import {
  candidates,
  isKernelTrigger,
  isRawDevice,
  isVitalFile,
  isVitalPlace,
  isWatchdog,
} from '../places.ts';
import { type Call, changes, destroys, operandsOf, type Program, type Rule } from '../rule.ts';
import type { Value } from '../value.ts';

/** Whether a word, from wherever the command may stand, names a place of this kind. */
const names =
  (isKind: (path: string) => boolean) =>
  (call: Call, value: Value): boolean =>
    value.text !== undefined && candidates(value.text, call.directories).some(isKind);

const namesTrigger = names((path) => isKernelTrigger(path) || isWatchdog(path));
const namesVital = names(isVitalFile);
const namesVitalPlace = names(isVitalPlace);

const TEE: OptionSpec = { anyOption: true };

/** What tee overwrites that nobody can bring back, or that acts at once. */
function lostByTee(call: Call): readonly Value[] {
  const parsed = parseOptions(TEE, call.args);
  const files = 'because' in parsed ? operandsOf(call) : parsed.operands;
  const appends =
    !('because' in parsed) && [...parsed.seen.keys()].some((name) => 'append'.startsWith(name));
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

/** What stands for the vital ones where a pattern names the files: `mv /usr/* /mnt`. */
const VITAL =
  '/usr /bin /lib /etc /boot /var /root /home /usr/bin /usr/lib /usr/sbin /bin/bash /usr/bin/bash /lib/systemd /usr/lib/systemd /lib/x86_64-linux-gnu/libc.so.6 /usr/lib/x86_64-linux-gnu/libc.so.6 /etc/pam.d /etc/ssh /etc/passwd /etc/shadow /etc/fstab /boot/grub /boot/vmlinuz-6 /var/lib /var/lib/dpkg'.split(
    ' ',
  );

/** What a machine cannot do without; logs are only moved aside. */
function isVitalSource(call: Call, file: Value): boolean {
  if (file.text !== undefined) {
    const logs = candidates(file.text, call.directories).every((path) =>
      /^\/var\/log\//.test(path),
    );
    return namesVitalPlace(call, file) || (namesVital(call, file) && !logs);
  }
  if (file.pattern.includes('**')) return false;
  const patterns = candidates(file.pattern, call.directories);
  return patterns.some((pattern) => VITAL.some((path) => canMatch(pattern, path)));
}

const SIZES: OptionSpec = {
  short: 'co',
  shortValue: 'sr',
  long: ['no-create', 'io-blocks'],
  longValue: ['size', 'reference'],
};

/** Only one size that adds cuts nothing: of several the last one decides. */
function grows(call: Call): boolean {
  const parsed = parseOptions(SIZES, call.args);
  if ('because' in parsed || given(parsed, 'r', 'reference').length > 0) return false;
  const sizes = given(parsed, 's', 'size');
  return sizes.length === 1 && /^\+\d/.test(sizes[0]?.text ?? '');
}

/** Its files, without the size. */
function cutFiles(call: Call): readonly Value[] {
  const parsed = parseOptions(SIZES, call.args);
  return 'because' in parsed ? [] : parsed.operands;
}

/** A program whose goal may be a disk, a vital file, or end up empty. */
export const overwrites = (match: string, not: string): Rule =>
  destroys(
    '',
    'empties a file, overwrites what nobody can bring back or acts on the machine at once',
    [match],
    [not],
    {
      if: (call) => overwritten(call).length > 0,
      objects: overwritten,
      confirmVerb: 'overwrite',
    },
  );

/** Copying and moving, which can overwrite, empty or take away. */
export const OVERWRITING: readonly Program[] = [
  {
    names: ['cp'],
    operands: 'read',
    rules: [overwrites('cp a /etc/passwd', 'cp a b'), changes('', 'copies files', ['cp a b'], [])],
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
      overwrites('dd if=a of=/dev/sdb', 'dd if=a of=b'),
      destroys('', 'reads a raw device', ['dd if=/dev/sda bs=1M'], ['dd if=a of=b'], {
        if: (call) => valuesOf('if', call.args).some((value) => isRawDevice(value.prefix)),
        objects: (call) => valuesOf('if', call.args),
        confirmVerb: 'read',
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
        { if: (call) => !grows(call), objects: cutFiles },
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
        ['mv /lib /lib.old', 'mv /usr/* /mnt/', 'mv /etc/fstab /tmp'],
        ['mv /opt/a /opt/b', 'mv /srv/lib /srv/x'],
        {
          if: (call) => sourcesOf(call).some((file) => isVitalSource(call, file)),
          objects: sourcesOf,
        },
      ),
      overwrites('mv a /etc/passwd', 'mv a b'),
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
      overwrites('install -m 600 /dev/null a', 'install a b'),
      changes('', 'copies files with rights', ['install -m 600 a b'], []),
    ],
  },
];
