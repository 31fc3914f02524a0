import { given } from '../options.ts';
import {
  type Call,
  changes,
  destroys,
  devicesNamed,
  hasWord,
  low,
  operandsBeside,
  type Program,
  phrase,
  reads,
} from '../rule.ts';
import type { Value } from '../value.ts';
import { only } from './builders.ts';

/** A device file as rules write it. */
export const DEVICE = '\\/dev\\/[\\w/][\\w/-]*';

/** Programs that wipe the device they are given. */
export function erases(names: string, why: string, example: string): Program {
  return {
    names: names.split(' '),
    operands: 'named',
    rules: [
      destroys('', why, [example], ['ls x'], {
        objects: devicesNamed,
      }),
    ],
  };
}

const LOGS =
  /^(error|selftest|xerror|xselftest|devstat|ssd|background|scttemp\w*|defects|farm|sasphy|sataphy)$/;

/** Further options can override the first one, or take it for their value. */
function onlyLists(option: RegExp, { args: [first, ...others] }: Call): boolean {
  return option.test(first?.text ?? '') && others.every((word) => !word.text?.startsWith('-'));
}

const MEMBERS = (call: Call): readonly Value[] =>
  operandsBeside(
    '-l --level -n --raid-devices -x --spare-devices -c --chunk -N --name -e --metadata -b --bitmap --homehost -p --layout',
  )(call).filter((arg) => arg.text !== 'missing');

/** There the same letters mean other things. */
const ASSEMBLES = /^(--assemble|-A|--monitor|--follow|-F)$/;

/** A partition was made for what it is added to; a whole disk can hold anything. */
const addsWhole = (call: Call): boolean =>
  !MEMBERS(call)
    .slice(1)
    .every((arg) => /^\/dev\/([shv]d[a-z]+\d+|xvd[a-z]+\d+|\S+(p|-part)\d+)$/.test(arg.text ?? ''));

/** Verb, reason, the option that tells, how many words come before what is lost, example. */
const ARRAYS: readonly (readonly [string, string, RegExp, number, string])[] = [
  ['stop', 'takes an array apart', /^(--stop|-S)$/, 0, 'mdadm --stop /dev/md0'],
  ['wipe', 'takes an array apart', /^--zero-superblock$/, 0, 'mdadm --zero-superblock /dev/sdb'],
  [
    'create',
    'writes over disks',
    /^(--create|-C)$/,
    1,
    'mdadm --create /dev/md0 -l 1 -n 2 /dev/sdb /dev/sdc',
  ],
  [
    'add',
    'writes over a disk',
    /^(--add|-a|--add-spare|--add-journal)$/,
    1,
    'mdadm /dev/md0 --add /dev/sdc',
  ],
  [
    'fail',
    'takes a disk out of an array',
    /^(--remove|-r|--fail|-f|--set-faulty)$/,
    1,
    'mdadm /dev/md0 --fail /dev/sda --remove /dev/sda',
  ],
];

/** Disks and partitions. */
export const DISKS: readonly Program[] = [
  {
    names: ['lsblk', 'findmnt'],
    operands: 'named',
    rules: [
      reads(
        '',
        'lists disks and mounts',
        {
          anyOption: true,
          check: (_p, call) =>
            hasWord(/^--(poll|sysroot|tab-file)|^-[a-zA-Z]*[pF]$/)(call) &&
            call.program === 'findmnt'
              ? 'an option is not known to be harmless'
              : undefined,
        },
        ['lsblk -f', 'findmnt -t nfs4'],
        ['findmnt --poll'],
      ),
    ],
  },
  {
    names: ['blkid'],
    operands: 'named',
    rules: [
      reads(
        '',
        'shows what is on disks',
        { short: 'kLlpi', shortValue: 'sotUL' },
        ['blkid -o list'],
        ['blkid -g'],
      ),
    ],
  },
  {
    names: ['mount'],
    operands: 'named',
    rules: [
      phrase(
        '',
        'lists mounts',
        /^(-l)?( ?-t [\w,]+)?$/,
        ['mount', 'mount -l -t ext4'],
        ['mount /dev/sda1 /mnt'],
      ),
    ],
  },
  {
    names: ['umount'],
    operands: 'named',
    rules: [changes('', 'takes a filesystem away', ['umount /mnt'], ['mount'])],
  },
  {
    names: ['swapon'],
    operands: 'named',
    rules: [
      reads(
        '',
        'lists swap',
        {
          short: 's',
          long: ['summary', 'noheadings', 'bytes', 'raw'],
          longMaybe: ['show'],
          operands: 0,
          check: (parsed) => (parsed.seen.size > 0 ? undefined : 'it wants a device'),
        },
        ['swapon --show'],
        ['swapon -a', 'swapon'],
      ),
    ],
  },
  only(
    'fdisk',
    'lists partitions',
    new RegExp(`^-l( ${DEVICE})*$`),
    ['fdisk -l'],
    ['fdisk /dev/sda'],
    destroys('', 'edits partitions', ['fdisk /dev/sda'], ['fdisk -l'], {
      if: (call) => !onlyLists(/^-l$/, call),
      objects: devicesNamed,
    }),
  ),
  only(
    'sfdisk',
    'lists partitions',
    new RegExp(`^(-l|-d)( ${DEVICE})*$`),
    ['sfdisk -l /dev/sda'],
    ['sfdisk /dev/sda'],
    destroys('', 'writes partitions', ['sfdisk /dev/sda'], ['sfdisk -l'], {
      if: (call) => !onlyLists(/^(-l|-d)$/, call),
      objects: devicesNamed,
    }),
  ),
  only(
    'parted',
    'lists partitions',
    new RegExp(`^(-l|(-s )?${DEVICE} (unit \\w+ )?print( free)?)$`),
    ['parted -l', 'parted /dev/sda print'],
    ['parted /dev/sda rm 1'],
    destroys('', 'rewrites partitions', ['parted -s /dev/sdb rm 1'], ['parted -l'], {
      if: hasWord(/^(mklabel|mktable|rm|mkpart|resizepart)$/),
      objects: devicesNamed,
      confirmVerb: 'parted',
    }),
  ),
  only(
    'sgdisk',
    'lists partitions',
    new RegExp(`^(-p|--print) ${DEVICE}$`),
    ['sgdisk -p /dev/sda'],
    ['sgdisk -Z /dev/sda'],
    destroys('', 'rewrites partitions', ['sgdisk -Z /dev/sda'], ['sgdisk -p /dev/sda'], {
      if: hasWord(/^(-[pPvVgi]*[zZod]|--(zap|clear|delete))/),
      objects: devicesNamed,
    }),
  ),
  erases('gdisk cfdisk', 'edits partitions', 'gdisk /dev/sdb'),
  erases(
    'mkfs mkfs.ext2 mkfs.ext3 mkfs.ext4 mkfs.xfs mkfs.btrfs mkfs.vfat mkfs.fat mkfs.exfat mkfs.f2fs mkfs.ntfs mke2fs',
    'formats a disk',
    'mkfs.ext4 /dev/sdb1',
  ),
  erases('mkswap', 'formats swap', 'mkswap /dev/sdb'),
  erases('blkdiscard sg_format', 'erases a disk', 'blkdiscard /dev/sdb'),
  {
    names: ['wipefs'],
    operands: 'named',
    rules: [
      phrase(
        '',
        'lists what tells filesystems apart',
        /^(-[nJp]+ )*\/dev\/[\w./-]+$/,
        ['wipefs /dev/sdb'],
        ['wipefs -a /dev/sdb', 'wipefs -o 0x1 /dev/sdb'],
      ),
      destroys(
        '',
        'wipes what tells filesystems apart',
        ['wipefs -a /dev/sdb'],
        ['wipefs /dev/sdb'],
        {
          if: hasWord(/^-[a-z]*[ao]|^--(all|offset)/),
          objects: devicesNamed,
        },
      ),
    ],
  },
  {
    names: ['smartctl'],
    operands: 'named',
    rules: [
      reads(
        '',
        'shows the health of a disk',
        {
          short: 'aixHAc',
          shortValue: 'ldnTvf',
          long: [
            'all',
            'xall',
            'health',
            'info',
            'attributes',
            'scan',
            'scan-open',
            'capabilities',
          ],
          longMaybe: ['json'],
          longValue: ['log', 'device', 'nocheck', 'format'],
          shortMaybe: 'j',
          check: (parsed) => {
            const logs = given(parsed, 'l', 'log').every((value) => LOGS.test(value.text ?? ''));
            const checks = given(parsed, 'n', 'nocheck').every((value) =>
              /^(never|sleep|standby|idle)(,.*)?$/.test(value.text ?? ''),
            );
            return logs && checks ? undefined : 'an option is not known to be harmless';
          },
        },
        ['smartctl -a /dev/sda', 'smartctl -l error /dev/sda'],
        ['smartctl -s on /dev/sda', 'smartctl -l scterc,70,70 /dev/sda'],
      ),
      low(
        '',
        'lets a disk test itself',
        new RegExp(`^((-t|--test)[= ]?(short|long|conveyance)|-X|--abort) ${DEVICE}$`),
        ['smartctl -t short /dev/sda', 'smartctl -X /dev/sda'],
        ['smartctl -t offline /dev/sda'],
      ),
    ],
  },
  {
    names: ['nvme'],
    operands: 'named',
    rules: [
      ...[
        'list',
        'smart-log',
        'id-ctrl',
        'id-ns',
        'error-log',
        'fw-log',
        'list-subsys',
        'version',
      ].map((verb) =>
        reads(
          verb,
          'shows facts about a disk',
          {
            shortValue: 'no',
            short: 'vH',
            long: ['human-readable', 'verbose'],
            longValue: ['output-format', 'namespace-id'],
          },
          [`nvme ${verb} /dev/nvme0`],
          [`nvme ${verb} --raw-binary /dev/nvme0`],
        ),
      ),
      low(
        'device-self-test',
        'lets a disk test itself',
        new RegExp(`^${DEVICE}( -s [12])?$`),
        ['nvme device-self-test /dev/nvme0'],
        ['nvme device-self-test'],
      ),
      ...[
        'format',
        'sanitize',
        'write-zeroes',
        'delete-ns',
        'fw-download',
        'write',
        'dsm',
        'write-uncor',
      ].map((verb) =>
        destroys(verb, 'erases a disk', [`nvme ${verb} /dev/nvme0n1`], ['nvme list'], {
          objects: devicesNamed,
        }),
      ),
    ],
  },
  only(
    'hdparm',
    'shows facts about a disk',
    new RegExp(`^-[IiC]( ${DEVICE})+$`),
    ['hdparm -I /dev/sda'],
    ['hdparm -y /dev/sda'],
    destroys('', 'erases a disk', ['hdparm --security-erase p /dev/sda'], ['hdparm -I /dev/sda'], {
      if: hasWord(
        /^--(security-erase|trim-sector|write-sector|fwdownload|make-bad|dco-restore|sanitize)/,
      ),
      objects: devicesNamed,
      confirmVerb: 'erase',
    }),
  ),
  only(
    'mdadm',
    'shows an array',
    new RegExp(`^(--detail|-D|--examine|-E|--query|-Q|--detail-platform)( --scan| ${DEVICE})*$`),
    ['mdadm --detail /dev/md0'],
    ['mdadm --stop /dev/md0'],
    ...ARRAYS.map(([verb, why, form, skipped, example]) =>
      destroys('', why, [example], ['mdadm -D /dev/md0'], {
        if: (call) =>
          hasWord(form)(call) && !hasWord(ASSEMBLES)(call) && (verb !== 'add' || addsWhole(call)),
        objects: (call) => MEMBERS(call).slice(skipped),
        confirmVerb: verb,
      }),
    ),
  ),
];
