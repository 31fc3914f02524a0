import { beginsWithVerb, laterLines } from '../globals.ts';
import {
  type Call,
  destroys,
  lineOf,
  operandsBeside,
  type Program,
  type Rule,
  theTarget,
} from '../rule.ts';
import { literal, type Value } from '../value.ts';
import { type Loss, loses } from './loss.ts';
import { STORAGE_LOSSES } from './losses-storage.ts';

const LOSSES: readonly Loss[] = [
  ...STORAGE_LOSSES,
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
    /^remove (?=.*--purge)/,
    'remove',
    'snap remove --purge x',
    'snap refresh x',
    (call) => operandsBeside('--revision')(call).slice(1),
  ),
  loses(
    'linstor multipass virsh',
    'deletes a machine, a volume or a snapshot',
    /^(\S+ delete|delete|vol-wipe|pool-delete|snapshot-(delete|revert)) (-\S+ )*(?<what>[\w.-]+)/,
    'delete',
    'linstor resource-definition delete x',
    'linstor node list',
    deletedNames,
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

/** What comes behind the verb; of a machine's snapshots only the snapshot goes. */
function deletedNames(call: Call): readonly Value[] {
  const words = operandsBeside('-c --connect --pool --domain')(call);
  const at = words.findIndex((word) => /^(\S+-)?(delete|revert|wipe)$/.test(word.text ?? ''));
  const names = words.slice(at + 1);
  if (/revert/.test(words[at]?.text ?? '')) return names.slice(0, 1);
  return words[at]?.text === 'snapshot-delete' ? names.slice(1) : names;
}

/** What these lose is the machine's own. */
const MACHINE = /^(kill|killall5|busctl|dbus-send|systemctl|ipmitool|racadm|flashrom|tpm2_clear)$/;

function ruleOf(name: string, { why, form, verb, example, near, all }: Loss): Rule {
  // Options before the verb would hide it.
  const found = (call: Call): RegExpExecArray | null => {
    const lines = [lineOf(call), ...(beginsWithVerb(form) ? laterLines(call.args) : [])];
    return lines.map((line) => form.exec(line)).find((match) => match !== null) ?? null;
  };
  const named = (line: string): string => line.replace(/^\S+/, name);
  return destroys('', why, [named(example)], [named(near)], {
    // Several names of one entry are not always one program.
    if: (call) => call.program === name && found(call) !== null,
    confirmVerb: verb,
    objects: (call) => {
      if (all) return all(call);
      const what = found(call)?.groups?.['what'];
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
