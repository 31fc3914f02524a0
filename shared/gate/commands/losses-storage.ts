import { type Call, operandsBeside, operandsOf } from '../rule.ts';
import type { Value } from '../value.ts';
import { type Loss, loses } from './loss.ts';

/** What an archive took in: not the archive, nor the letter before it. */
function packed(call: Call): readonly Value[] {
  const words = operandsBeside('-o -t -tt -n -b -D --output --output-dir-flat')(call);
  const archive = { zip: 1, '7z': 2 }[call.program] ?? 0;
  const listed = call.args.some((arg) => /^(@.*|-@|-i.*|--filelist.*)$/.test(arg.text ?? '@'));
  return listed ? [] : words.slice(archive);
}

/** What comes behind the verb, without the mount point. */
function partsOfBtrfs(call: Call): readonly Value[] {
  const [first, ...rest] = operandsOf(call);
  if (/^ch/.test(first?.text ?? '')) return rest;
  return /^d/.test(first?.text ?? '') ? rest.slice(1, -1) : rest.slice(1);
}

/** What goes into an archive; from a list or another folder it is not told. */
function archived(call: Call): readonly Value[] {
  const elsewhere = call.args.some(({ text }) =>
    /^(-\w*[CT]|-[CT].+|--(files-from|directory).*)$/.test(text ?? '-T'),
  );
  if (elsewhere) return [];
  return call.args.filter((arg, at) => {
    const before = call.args[at - 1]?.text ?? '';
    const letters = at === 0 || /^-/.test(arg.text ?? '');
    // `czf a.tar`, `-cf a.tar`, `--file a.tar`.
    return !letters && !(at === 1 ? /^-?\w*f$/ : /^-\w*f$|^--file$/).test(before);
  });
}

/** What uses of disks, volumes, pools, clusters of storage and archives lose. */
export const STORAGE_LOSSES: readonly Loss[] = [
  loses(
    'tar bsdtar',
    'deletes what it packed',
    /(^| )--remove-f\w*( |$)/,
    'delete',
    'tar --remove-files -cf /tmp/a.tar /srv/x',
    'tar -cf /tmp/a.tar /srv/x',
    archived,
  ),
  loses(
    'zip',
    'deletes what it packed',
    /(^| )(-\w*m\w*|--move)( |$)/,
    'delete',
    'zip -rmq /tmp/a.zip /srv/x',
    'zip -rq /tmp/a.zip /srv/x',
    packed,
  ),
  loses(
    'zfs',
    'throws away what is newer than the stream',
    /^(receive|recv) (?=.*-\w*F).* (?<what>[\w/.@:-]+)$/,
    'receive',
    'zfs recv -F tank/x',
    'zfs recv tank/x',
  ),
  loses(
    'zstd xz gzip bzip2 lz4 7z zip',
    'deletes what it packed',
    /^(?=(.* )?(--rm|-sdel|-\w*m)( |$)).* (?:(?<what>[\w./-]+\/[\w.-]+))$|(^| )(--rm|-sdel)( |$)/,
    'delete',
    'zstd --rm /srv/x',
    'zstd -l /srv/x',
    packed,
  ),
  loses(
    'zpool',
    'takes a disk or a checkpoint away from a pool for good',
    /^(detach|split|checkpoint -d|checkpoint --discard) (-\w+ )*(?<what>[\w.-]+)/,
    'change',
    'zpool detach tank sdb',
    'zpool offline tank sdb',
  ),
  loses(
    'zpool',
    'throws away the last writes of a pool',
    /^(import|clear) (.* )?(-\w*[FX]\w*|--rewind-to-checkpoint)( |$)(.* )?(?<what>[\w.-]+)$/,
    'rewind',
    'zpool import -F tank',
    'zpool import -f tank',
  ),
  loses(
    'lvresize',
    'shrinks a volume',
    /(^| )(-\w*[Ll]|--si\w*|--ex\w*)[ =]* ?(?=[^+ =]).* (?<what>[\w/.-]+)$/,
    'shrink',
    'lvresize -L -5G pve/x',
    'lvresize -L +5G pve/x',
  ),
  loses(
    'lvconvert',
    'writes over a volume',
    /(--merge|--thinpool|--type)\b.* (?<what>[\w/.-]+)$/,
    'convert',
    'lvconvert --merge pve/snap',
    'lvconvert --repair pve/x',
    operandsBeside('--type --thinpool --poolmetadata --cachepool -m --mirrors -L --size'),
  ),
  loses(
    'pvcreate vgcfgrestore make-bcache sg_sanitize sg_unmap sg_write_same sg_format',
    'writes over what a disk holds',
    /(^| )(?<what>[\w/.-]+)$/,
    'overwrite',
    'pvcreate -ff /dev/sdb',
    'pvs',
    operandsBeside('-u --uuid --restorefile -M --metadatatype -Z --zero --metadatasize --file'),
  ),
  loses(
    'vgreduce',
    'forgets the volumes of missing disks',
    /--removemissing\b.* (?<what>[\w.-]+)$/,
    'reduce',
    'vgreduce --removemissing pve',
    'vgreduce pve /dev/sdb',
  ),
  loses(
    'sgdisk',
    'writes another table of partitions',
    /^(-R[ =]?|--replicate=|-l ?|--load-backup=)/,
    'replace',
    'sgdisk -R /dev/sdb /dev/sda',
    'sgdisk -p /dev/sda',
  ),
  loses(
    'ddrescue dcfldd dc3dd',
    'writes over a disk',
    /(^| )(of=)?(?<what>\/dev\/\w+)( [\w./-]+)?$/,
    'overwrite',
    'ddrescue /dev/sda /dev/sdb',
    'dd --version',
  ),
  loses(
    'sedutil-cli',
    'erases an encrypting disk',
    /revert.* (?<what>\/dev\/\w+)$/i,
    'erase',
    'sedutil-cli --PSIDrevert x /dev/sda',
    'sedutil-cli --scan',
  ),
  loses(
    'cryptsetup',
    'replaces the keys of an encrypted volume',
    /^luksHeaderRestore (?<what>\/dev\/\S+)/,
    'restore',
    'cryptsetup luksHeaderRestore /dev/sdb --header-backup-file x',
    'cryptsetup status x',
  ),
  loses(
    'btrfs',
    'deletes or rewrites parts of a file system',
    /^(su\w* de\w*|de\w* (r|d)\w*|rescue (zero-log|chunk-recover)|check .*--(rep\w*|init-\S+))\b.* (?<what>\S+)$/,
    'change',
    'btrfs check --repair /dev/sdb',
    'btrfs device stats /srv',
    partsOfBtrfs,
  ),
  loses(
    'btrfs',
    'writes over a disk',
    /^(de\w* a\w*|rep\w* s\w*)\b(?=.* (-\w*f|--force))/,
    'add',
    'btrfs device add -f /dev/sdb /srv',
    'btrfs device add /dev/sdb /srv',
    (call) => operandsOf(call).slice(2, -1),
  ),
  loses(
    'vgcreate vgextend',
    'writes over a disk',
    /(^| )(-\w*[yf]\w*|--(yes|force))( |$)/,
    'add',
    'vgextend -y pve /dev/sdb',
    'vgextend pve /dev/sdb',
    (call) => operandsOf(call).slice(1),
  ),
  loses(
    'bcachefs',
    'formats or takes away a disk',
    /^(format|device (remove|evacuate))\b.* (?<what>\S+)$/,
    'format',
    'bcachefs format /dev/sdb',
    'bcachefs fs usage',
  ),
  loses(
    'ceph',
    'removes a part of the cluster',
    /^(auth (del|rm)|mon (rm|remove)|osd (lost|crush (rm|remove))) (?<what>[\w.-]+)/,
    'remove',
    'ceph auth del client.x',
    'ceph osd tree',
  ),
  loses(
    'ceph-volume ceph-bluestore-tool ceph-objectstore-tool',
    'erases a disk or objects of the cluster',
    /\b(zap|zap-device|remove)\b(.* (?<what>\/dev\/\w+))?/,
    'zap',
    'ceph-volume lvm zap /dev/sdb',
    'ceph-volume lvm list',
  ),
  loses(
    'rbd',
    'shrinks an image',
    /^resize .*--allow-shrink/,
    'shrink',
    'rbd resize --size 1 x/y --allow-shrink',
    'rbd resize --size 9 x/y',
  ),
  loses(
    'drbdadm',
    'throws away one side of a mirrored disk',
    /(create-md|invalidate|wipe-md|discard-my-data)\b.* (?<what>[\w-]+)$/,
    'discard',
    'drbdadm wipe-md r0',
    'drbdadm status',
    (call) =>
      operandsOf(call).filter(
        (arg) => !/^(create-md|invalidate\S*|wipe-md|connect)$/.test(arg.text ?? ''),
      ),
  ),
];
