import { given } from '../options.ts';
import {
  destroys,
  devicesNamed,
  firstOperand,
  hasWord,
  low,
  operandsOf,
  type Program,
  phrase,
  reads,
} from '../rule.ts';
import { only } from './builders.ts';
import { DEVICE, erases } from './disks.ts';

const LVM = reads(
  '',
  'lists volumes',
  {
    short: 'avPqS',
    shortValue: 'oSO',
    long: 'all noheadings segments nosuffix verbose aligned maps'.split(' '),
    longValue: 'options units select sort reportformat separator'.split(' '),
  },
  ['lvs -a -o +devices'],
  ['lvs --config x'],
);

/** Volumes, filesystems and stores but ZFS. */
export const VOLUMES: readonly Program[] = [
  {
    names: ['pvs', 'vgs', 'lvs', 'pvdisplay', 'vgdisplay', 'lvdisplay'],
    operands: 'named',
    rules: [LVM],
  },
  {
    names: ['lvscan'],
    operands: 'named',
    rules: [reads('', 'lists volumes', { operands: 0 }, ['lvscan'], ['lvscan -v x'])],
  },
  erases('lvremove vgremove pvremove lvreduce', 'removes or shrinks a volume', 'lvremove pve/x'),
  {
    names: ['lvcreate'],
    operands: 'named',
    rules: [
      low(
        '',
        'adds a snapshot',
        new RegExp(
          `^(?=.*(-s|--snapshot) )((-s|--snapshot|(-n|--name)[ =][\\w][\\w-]*|(-L|--size)[ =]?\\d+[GgMm]) )*(${DEVICE}|[\\w][\\w-]*/[\\w][\\w-]*)$`,
        ),
        ['lvcreate -s -n snap -L 5G /dev/pve/x', 'lvcreate --snapshot --name s --size 2G pve/x'],
        ['lvcreate -L 5G -n x pve'],
      ),
    ],
  },
  {
    names: ['xfs_quota'],
    operands: 'named',
    rules: [
      reads(
        '',
        'shows quotas',
        {
          short: 'x',
          shortValue: 'c',
          operands: /^\/[\w/.-]*$/,
          check: (parsed) =>
            given(parsed, 'c').length > 0 &&
            given(parsed, 'c').every((value) =>
              /^(report|df|free|quota|print|state|path)( -[hnbirugpaNv]+)*$/.test(value.text ?? ''),
            )
              ? undefined
              : 'it is no plain question',
        },
        ["xfs_quota -x -c 'report -h' /srv"],
        ["xfs_quota -x -c 'limit bsoft=1g x' /srv", 'xfs_quota'],
      ),
    ],
  },
  only(
    'dmsetup',
    'lists mapped disks',
    /^(ls( --tree)?|info( \w([\w][\w-]*)?)?|status( \w([\w][\w-]*)?)?|deps( \w([\w][\w-]*)?)?|table( \w([\w][\w-]*)?)?)$/,
    ['dmsetup ls --tree'],
    ['dmsetup remove x', 'dmsetup table --showkeys'],
  ),
  {
    names: ['btrfs'],
    operands: 'named',
    rules: [
      phrase(
        '',
        'shows a filesystem',
        /^((filesystem|fi) (show|usage|df)( [\w/.][\w/.-]*)*|scrub status( -\w)*( [\w/.][\w/.-]*)+|(subvolume|sub) (list|show)( -\w+)*( [\w/.][\w/.-]*)+|qgroup show( -\w+)?( [\w/.][\w/.-]*)+|balance status( [\w/.][\w/.-]*)+|device stats( [\w/.][\w/.-]*)+|balance status( [\w/.][\w/.-]*)+)$/,
        ['btrfs filesystem usage /'],
        ['btrfs balance start /'],
      ),
      low(
        '',
        'checks a filesystem or adds a snapshot',
        /^(scrub (start|cancel|resume) \/([\w/][\w/-]*)?|subvolume snapshot -r \/([\w/.][\w/.-]*)? \/[\w/.][\w/.-]*)$/,
        ['btrfs scrub start /'],
        ['btrfs scrub start -B /'],
      ),
      destroys(
        'subvolume delete',
        'deletes a subvolume',
        ['btrfs subvolume delete /x'],
        ['btrfs subvolume list /'],
        { objects: operandsOf },
      ),
      destroys(
        'device delete',
        'removes a disk from a filesystem',
        ['btrfs device delete /dev/sdb /'],
        ['btrfs device stats /'],
        { objects: firstOperand },
      ),
      destroys(
        'device remove',
        'removes a disk from a filesystem',
        ['btrfs device remove /dev/sdb /'],
        ['btrfs device stats /'],
        { objects: firstOperand },
      ),
    ],
  },
  only(
    'tune2fs',
    'shows a filesystem',
    new RegExp(`^-l ${DEVICE}$`),
    ['tune2fs -l /dev/sda1'],
    ['tune2fs -O x /dev/sda1'],
  ),
  only(
    'dumpe2fs',
    'shows a filesystem',
    new RegExp(`^-h ${DEVICE}$`),
    ['dumpe2fs -h /dev/sda1'],
    ['dumpe2fs -o x /dev/sda1'],
  ),
  only(
    'e2label',
    'shows the name of a filesystem',
    new RegExp(`^${DEVICE}$`),
    ['e2label /dev/sda1'],
    ['e2label /dev/sda1 x'],
  ),
  only(
    'zdb',
    'describes a pool',
    /^(-C( [\w-]+)?|-l \/dev\/[\w/-]+|-e -C [\w-]+)?$/,
    ['zdb -C rpool'],
    ['zdb -R x y'],
  ),
  only(
    'rados',
    'shows the storage cluster',
    /^(df|lspools|ls -p [\w.-]+|list-inconsistent-pg [\w.-]+)$/,
    ['rados df'],
    ['rados put a b'],
    destroys('', 'deletes stored data', ['rados rm x -p y', 'rados purge x'], ['rados df'], {
      if: hasWord(/^(rm|rmpool|purge|cppool|truncate|rollback|rmsnap)$/),
    }),
  ),
  only(
    'xfs_info',
    'shows a filesystem',
    /^\/([\w/.][\w/.-]*)?$/,
    ['xfs_info /srv'],
    ['xfs_info -t x'],
  ),
  {
    names: ['xfs_repair'],
    operands: 'named',
    rules: [
      destroys(
        '',
        'drops the log of a filesystem',
        ['xfs_repair -L /dev/sdb'],
        ['xfs_repair -n /dev/sdb'],
        { if: hasWord(/^-\w*L/), objects: (call) => operandsOf(call).slice(-1) },
      ),
    ],
  },
  {
    names: ['badblocks'],
    operands: 'named',
    rules: [
      destroys('', 'overwrites a disk', ['badblocks -w /dev/sdb'], ['badblocks /dev/sdb'], {
        if: hasWord(/^-\w*w/),
        objects: firstOperand,
      }),
    ],
  },
  {
    names: ['debugfs'],
    operands: 'read',
    launches: true,
    rules: [
      destroys('', 'edits a filesystem', ['debugfs -w /dev/sdb'], ['debugfs /dev/sdb'], {
        if: hasWord(/^-\w*w|shadow|\.ssh/),
      }),
    ],
  },
  {
    names: ['cryptsetup'],
    operands: 'named',
    rules: [
      destroys(
        '',
        'erases an encrypted volume',
        ['cryptsetup luksFormat /dev/sdb'],
        ['cryptsetup status x'],
        {
          if: hasWord(/^(luksFormat|erase|luksErase|reencrypt|luksKillSlot|luksRemoveKey)$/),
          objects: devicesNamed,
          confirmVerb: 'format',
        },
      ),
      phrase(
        '',
        'shows an encrypted volume',
        /^status [\w][\w-]*$/,
        ['cryptsetup status x'],
        ['cryptsetup luksDump /dev/sdb'],
      ),
    ],
  },
  {
    names: ['ceph'],
    operands: 'named',
    rules: [
      phrase(
        '',
        'shows the storage cluster',
        /^(-s|status|health( detail)?|df( detail)?|osd (tree|df( tree)?|stat|status|perf|dump|ls|utilization|blocked-by|pool (ls|stats|get [\w.-]+ \w+|autoscale-status)|crush (tree|rule ls|class ls)|find \d+|metadata \d+|ok-to-stop \d+|safe-to-destroy \d+)( detail)?|mon (stat|dump)|pg (stat|ls|dump|dump_stuck( \w+)?|[\da-f]+\.[\da-f]+ query)|mgr (stat|services|module ls)|fs (status|ls)|mds stat|crash (ls|ls-new|stat|info \S+)|orch (ls|ps|status|host ls|device ls)|time-sync-status|device ls|balancer status|progress|log last( \d+)?|version|versions|quorum_status|features|-v)( -f json(-pretty)?)?$/,
        ['ceph status'],
        ['ceph osd out 1'],
      ),
      destroys('', 'deletes stored data', ['ceph osd pool delete a a'], ['ceph status'], {
        if: hasWord(/^(purge|delete|destroy|rm|purge-new|zap)$/),
      }),
    ],
  },
  {
    names: ['rbd'],
    operands: 'named',
    rules: [
      phrase(
        '',
        'lists images',
        /^(ls|list|info|du|status|snap ls|trash ls|showmapped|device list|pool stats)( -l| -p [\w.-]+)?( [\w/.@][\w/.@-]*)*$/,
        ['rbd ls'],
        ['rbd map x'],
      ),
      ...[
        'rm',
        'remove',
        'purge',
        'snap rm',
        'snap purge',
        'snap rollback',
        'trash purge',
        'trash rm',
        'trash mv',
      ].map((verb) =>
        destroys(verb, 'deletes an image', [`rbd ${verb} x`], ['rbd ls'], {
          objects: firstOperand,
        }),
      ),
    ],
  },
  {
    names: ['qemu-img'],
    operands: 'named',
    rules: [
      reads(
        'info',
        'describes a disk image',
        {
          short: 'U',
          long: ['backing-chain', 'force-share'],
          longValue: ['output'],
          shortValue: 'f',
        },
        ['qemu-img info x.qcow2'],
        ['qemu-img info --object x y'],
      ),
      destroys(
        '',
        'shrinks a disk image',
        ['qemu-img resize --shrink x 10G'],
        ['qemu-img info x'],
        { if: hasWord(/^--shrink$/) },
      ),
    ],
  },
];
