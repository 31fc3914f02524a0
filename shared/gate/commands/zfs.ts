import {
  type Call,
  destroys,
  firstOperand,
  hasWord,
  low,
  operandsBeside,
  operandsOf,
  type Program,
  phrase,
  type Rule,
  reads,
  type Use,
} from '../rule.ts';
import type { Value } from '../value.ts';

const HARMLESS: Use = { openOperands: true };

function looks(
  verb: string,
  why: string,
  short: string,
  shortValue: string,
  program: string,
): Rule {
  const use: Use = { ...HARMLESS, short, shortValue };
  return reads(verb, why, use, [`${program} ${verb} tank`], [`${program} ${verb} --frob tank`]);
}

const zfs: Program = {
  names: ['zfs'],
  operands: 'named',
  rules: [
    looks('list', 'lists datasets', 'Hrp', 'otsSd', 'zfs'),
    looks('get', 'shows properties of datasets', 'Hrp', 'otsd', 'zfs'),
    looks('diff', 'shows what changed since a snapshot', 'FHth', '', 'zfs'),
    looks('holds', 'shows what keeps snapshots', 'rH', '', 'zfs'),
    looks('userspace', 'shows space per user', 'nHpiS', 'ost', 'zfs'),
    looks('groupspace', 'shows space per group', 'nHpi', 'ost', 'zfs'),
    phrase('mount', 'lists mounted datasets', /^$/, ['zfs mount'], ['zfs mount -a']),
    phrase(
      'allow',
      'shows who may do what',
      /^[\w/.][\w/.-]*$/,
      ['zfs allow tank'],
      ['zfs allow bob mount tank'],
    ),
    looks('version', 'shows the version', '', '', 'zfs'),
    low(
      'snapshot',
      'adds a snapshot',
      /^(-r )?[\w/.][\w/.-]*@[\w.:][\w.:-]*$/,
      ['zfs snapshot tank/x@a'],
      ['zfs snapshot -o a=b tank@x'],
    ),
    low(
      'snap',
      'adds a snapshot',
      /^(-r )?[\w/.][\w/.-]*@[\w.:][\w.:-]*$/,
      ['zfs snap tank/x@a'],
      ['zfs snap x'],
    ),
    destroys('destroy', 'destroys a dataset or snapshot', ['zfs destroy -r tank/x'], ['zfs list'], {
      objects: operandsOf,
    }),
    destroys(
      'rollback',
      'throws away everything since a snapshot',
      ['zfs rollback tank/x@a'],
      ['zfs list'],
      { objects: operandsOf },
    ),
  ],
};

const SECONDS = /^\+?(\d+\.?\d*|\.\d+)(e\d+)?$/i;

function isEndless(call: Call): boolean {
  const [pause, times] = call.args.filter((arg) => SECONDS.test(arg.text ?? ''));
  return pause !== undefined && !/^[1-9]\d{0,3}$/.test(times?.text ?? '');
}

/** With a number of seconds it goes on for ever. */
function samples(verb: string, why: string, use: Use): Rule {
  const check = (_parsed: unknown, call: Call) =>
    isEndless(call) ? ({ matches: true, flags: ['unbounded'] } as const) : undefined;
  return {
    ...reads(verb, why, { ...use, check }, [`zpool ${verb} -v tank 1 3`], [`zpool ${verb} -c x`]),
    safer: `zpool ${verb} 1 5`,
  };
}

const VDEV = /^(mirror|raidz\d?|draid\S*|spare|log|cache|special|dedup)$/;

/** The disks behind the name of the pool. */
const disksOf = (call: Call): readonly Value[] =>
  operandsBeside('-o')(call)
    .slice(1)
    .filter((arg) => !VDEV.test(arg.text ?? ''));

const zpool: Program = {
  names: ['zpool'],
  operands: 'named',
  rules: [
    samples('status', 'shows the health of pools', { ...HARMLESS, short: 'vxLPgDtTsie' }),
    samples('list', 'lists pools', { ...HARMLESS, short: 'HvLPgp', shortValue: 'oT' }),
    samples('iostat', 'shows the load of pools', { short: 'vyLPgnlqrwHp', shortValue: 'T' }),
    looks('get', 'shows properties of pools', 'Hp', 'o', 'zpool'),
    looks('history', 'shows what was done to a pool', 'il', '', 'zpool'),
    looks('events', 'shows what happened to pools', 'vH', '', 'zpool'),
    looks('version', 'shows the version', '', '', 'zpool'),
    low(
      'scrub',
      'checks a pool in the background',
      /^(-[ps] )?[\w][\w-]*$/,
      ['zpool scrub tank'],
      ['zpool scrub -w tank'],
    ),
    low(
      'trim',
      'tells disks which blocks are free',
      /^[\w][\w-]*$/,
      ['zpool trim tank'],
      ['zpool trim -d tank'],
    ),
    destroys('destroy', 'destroys a pool', ['zpool destroy -f tank'], ['zpool list'], {
      objects: operandsOf,
    }),
    destroys('create', 'formats disks for a pool', ['zpool create -f tank sdb'], ['zpool list'], {
      objects: (call) => operandsBeside('-o -O -m -R -t')(call).slice(0, 1),
    }),
    destroys(
      'labelclear',
      'wipes what tells a disk of a pool',
      ['zpool labelclear -f /dev/sdb'],
      ['zpool list'],
      { objects: operandsOf },
    ),
    ...['add', 'attach'].map((verb) =>
      destroys(
        verb,
        'writes over a disk for a pool',
        [`zpool ${verb} -f tank sda sdb`],
        [`zpool ${verb} tank sda sdb`],
        {
          if: hasWord(/^-\w*f/),
          objects: (call) => (verb === 'add' ? disksOf(call) : disksOf(call).slice(1)),
        },
      ),
    ),
    destroys(
      'replace',
      'writes over a disk for a pool',
      ['zpool replace tank sda sdb'],
      ['zpool status'],
      { objects: (call) => disksOf(call).slice(-1) },
    ),
    destroys('remove', 'takes a disk out of a pool', ['zpool remove tank sdb'], ['zpool list'], {
      objects: firstOperand,
    }),
  ],
};

export const ZFS: readonly Program[] = [zfs, zpool];
