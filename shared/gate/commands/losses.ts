import { destroys, lineOf, type Program, type Rule, theTarget } from '../rule.ts';
import { literal } from '../value.ts';

/** A use of a program that loses data or takes the machine down, whichever family it belongs to. */
interface Loss {
  readonly programs: string;
  readonly why: string;
  /** How the words of the call read; the group `what` is what the typed sentence names. */
  readonly form: RegExp;
  readonly verb: string;
  readonly example: string;
  readonly near: string;
}

function loses(
  programs: string,
  why: string,
  form: RegExp,
  verb: string,
  example: string,
  near: string,
): Loss {
  return { programs, why, form, verb, example, near };
}

const LOSSES: readonly Loss[] = [
  loses(
    'zfs',
    'throws away what is newer than the stream',
    /^(receive|recv) (?=.*-\w*F).* (?<what>[\w/.@:-]+)$/,
    'receive',
    'zfs recv -F tank/x',
    'zfs recv tank/x',
  ),
  loses(
    'sed',
    'empties a file',
    /^(?=(.* )?(-\w*i|--in-place)).*(^| )(1,\$ ?)?d (?:(?<what>\S+)|\S+ .*)$/,
    'overwrite',
    'sed -i d /srv/x.log',
    'sed -i 3d /srv/x.log',
  ),
  loses(
    'snap',
    'removes a program with its data',
    /^remove (?=.*--purge)(?:(--purge )?(?<what>[\w-]+)( --purge)?)$/,
    'remove',
    'snap remove --purge x',
    'snap refresh x',
  ),
  loses(
    'zstd xz gzip bzip2 lz4 7z zip',
    'deletes what it packed',
    /^(?=(.* )?(--rm|-sdel|-\w*m)( |$)).* (?:(?<what>[\w./-]+\/[\w.-]+))$|(^| )(--rm|-sdel)( |$)/,
    'delete',
    'zstd --rm /srv/x',
    'zstd -l /srv/x',
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
  ),
  loses(
    'pvcreate vgcfgrestore make-bcache sg_sanitize sg_unmap sg_write_same sg_format',
    'writes over what a disk holds',
    /(^| )(?<what>[\w/.-]+)$/,
    'overwrite',
    'pvcreate -ff /dev/sdb',
    'pvs',
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
    'mdadm',
    'takes a disk out of an array',
    /^(?<what>\/dev\/\S+) .*(--remove|-r|--fail|-f)\b/,
    'fail',
    'mdadm /dev/md0 --fail /dev/sda --remove /dev/sda',
    'mdadm --detail /dev/md0',
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
  ),
  loses(
    'linstor multipass virsh',
    'deletes a machine, a volume or a snapshot',
    /^(\S+ delete|delete|vol-wipe|pool-delete|snapshot-(delete|revert)) (-\S+ )*(?<what>[\w.-]+)/,
    'delete',
    'linstor resource-definition delete x',
    'linstor node list',
  ),
  loses(
    'pvesh',
    'writes over a disk',
    /^(create|set) \/nodes\/[\w-]+\/disks\/(wipedisk|zfs|lvm|lvmthin|directory|initgpt)\b/,
    'wipe',
    'pvesh set /nodes/pve/disks/wipedisk --disk /dev/sdb',
    'pvesh get /nodes/pve/disks/list',
  ),
  loses(
    'proxmox-backup-manager',
    'writes over a disk of the backup server',
    /^disk (wipe (?<what>\w+)|initialize|(fs|zpool) create)\b/,
    'wipe',
    'proxmox-backup-manager disk wipe sdb',
    'proxmox-backup-manager disk list',
  ),
  loses(
    'proxmox-backup-client proxmox-tape proxmox-boot-tool',
    'deletes backups or formats a medium',
    /^(namespace delete|media destroy|label|format)\b/,
    'delete',
    'proxmox-tape format --drive x',
    'proxmox-boot-tool status',
  ),
  loses(
    'rke2-uninstall.sh minikube kind microk8s kubeadm',
    'takes a cluster down with what it holds',
    /^$|^(delete|reset)\b/,
    'delete',
    'minikube delete',
    'minikube status',
  ),
  loses(
    'pulumi helmfile terraform vagrant',
    'destroys machines or services',
    /^destroy\b|^apply .*-destroy\b/,
    'destroy',
    'pulumi destroy',
    'pulumi preview',
  ),
  loses(
    'pg_resetwal pg_rewind pg_archivecleanup',
    'rewrites or deletes files of a database',
    /(^| )(?<what>\/\S+)/,
    'rewrite',
    'pg_resetwal -f /var/lib/x',
    'pg_resetwal --version',
  ),
  loses(
    'pg_restore mongorestore',
    'drops what it restores over',
    /(^| )(-\w*c\b|--clean|--drop)/,
    'restore',
    'pg_restore --clean -d x y',
    'pg_restore -l y',
  ),
  loses(
    'rabbitmqctl',
    'deletes queues and what waits in them',
    /^(reset|force_reset|(delete_queue|delete_vhost|purge_queue) (?<what>[\w./-]+))/,
    'delete',
    'rabbitmqctl purge_queue x',
    'rabbitmqctl list_queues',
  ),
  loses(
    's3cmd aws duplicacy',
    'deletes stored objects',
    /(^| )(rb|del|rm|prune)( |$)|(^| )sync .*--delete/,
    'delete',
    's3cmd rb s3://x',
    's3cmd ls',
  ),
  loses(
    'rclone',
    'deletes files, also ones that are only in one place',
    /^(sync|rmdirs|cleanup|dedupe) /,
    'delete',
    'rclone sync a x:y',
    'rclone copy a x:y',
  ),
  loses(
    'systemctl',
    'takes the machine down',
    /^start (reboot|poweroff|halt|kexec|rescue|emergency|shutdown|suspend|hibernate)(\.target)?$/,
    'start',
    'systemctl start reboot.target',
    'systemctl start nginx',
  ),
  loses(
    'kill',
    'ends everything that runs',
    /^(-[sn] \S+ |--signal[ =]\S+ |-- |-(?![sn] |-)\S+ |(?!-))(-- )?(\S+ )*[-+]?0*1( |$)|^-1$/,
    'kill',
    'kill -9 -1',
    'kill -9 1234',
  ),
  loses(
    'fallocate',
    'cuts a hole into a file',
    /^(?=(.* )?(-\w*[pcz]|--(punch|collapse|zero))).* (?<what>\S+)$/,
    'cut',
    'fallocate -p -l 5 /srv/x',
    'fallocate -l 5G /srv/x',
  ),
  loses('killall5', 'ends everything that runs', /^(-\S+)?$/, 'kill', 'killall5 -9', 'pidof x'),
  loses(
    'busctl dbus-send',
    'takes the machine down',
    /login1.*\b(Reboot|PowerOff|Halt|Suspend|Hibernate)\b|systemd1.*\b(Reboot|PowerOff|Halt|KExec)\b/,
    'call',
    'busctl call org.freedesktop.login1 /x org.freedesktop.login1.Manager Reboot b 0',
    'busctl list',
  ),
  loses(
    'ip',
    'takes an interface away',
    /^(-\S+ )*l(i|in|ink)? d\w* (dev )?(?<what>[\w.@-]+)$/,
    'delete',
    'ip link delete vmbr0',
    'ip link show vmbr0',
  ),
  loses(
    'ipmitool racadm',
    'empties the log of the board or cuts the power',
    /^(sel clear|serveraction (powerdown|hardreset|powercycle))\b/,
    'clear',
    'ipmitool sel clear',
    'ipmitool sel list',
  ),
  loses(
    'efibootmgr',
    'deletes an entry the machine starts by',
    /(^| )(-\w*[BO]\w*|--delete-bootnum)( |$)/,
    'delete',
    'efibootmgr -b 0001 -B',
    'efibootmgr -v',
  ),
  loses(
    'flashrom',
    'writes or erases the firmware',
    /(^| )(-[wE]|--(write|erase))/,
    'write',
    'flashrom -w x',
    'flashrom --version',
  ),
  loses(
    'tpm2_clear systemd-cryptenroll',
    'throws away keys',
    /^$|--wipe-slot/,
    'wipe',
    'systemd-cryptenroll --wipe-slot=all /dev/sda',
    'systemd-cryptenroll --tpm2-device=list',
  ),
];

/** What these lose is the machine's own. */
const MACHINE = /^(kill|killall5|busctl|dbus-send|systemctl|ipmitool|racadm|flashrom|tpm2_clear)$/;

function ruleOf(name: string, { why, form, verb, example, near }: Loss): Rule {
  const named = (line: string): string => line.replace(/^\S+/, name);
  return destroys('', why, [named(example)], [named(near)], {
    // Several names of one entry are not always one program.
    if: (call) => call.program === name && form.test(lineOf(call)),
    confirmVerb: verb,
    objects: (call) => {
      const what = form.exec(lineOf(call))?.groups?.['what'];
      if (what !== undefined) return [literal(what)];
      return MACHINE.test(call.program) ? theTarget() : [];
    },
  });
}

/** Adds to each program what its uses can lose; programs that are not known yet begin with it. */
export function withLosses(programs: readonly Program[]): readonly Program[] {
  const rules = new Map<string, Rule[]>();
  for (const loss of LOSSES) {
    for (const name of loss.programs.split(' ')) {
      rules.set(name, [...(rules.get(name) ?? []), ruleOf(name, loss)]);
    }
  }
  const known = new Set(programs.flatMap((program) => program.names));
  const fresh = [...rules].filter(([name]) => !known.has(name));
  return [
    ...programs.map((program) => withRules(program, rules)),
    ...fresh.map(([name, own]): Program => ({ names: [name], operands: 'named', rules: own })),
  ];
}

function withRules(program: Program, rules: ReadonlyMap<string, readonly Rule[]>): Program {
  const more = program.names.flatMap((name) => rules.get(name) ?? []);
  return more.length === 0 ? program : { ...program, rules: [...program.rules, ...more] };
}
