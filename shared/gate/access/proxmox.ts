import { type AccessUse, gains, shortened, word } from './use.ts';

const opt = (name: string, from: number): string => `(?:^| )--?${shortened(name, from)}`;
const off = '(?:=| )(?:0|off|no|false)(?= |$)';

/** Options by which a guest reaches the host. Names may be shortened to any unique beginning. */
const REACHES: readonly RegExp[] = [
  /(?:^| )--?mp\d+(?:=| )(?:volume=)?\//,
  /(?:^| )--?rootfs(?:=| )(?:volume=)?\//,
  /(?:^| )--?dev\d+(?:=| )/,
  new RegExp(`${opt('hookscript', 2)}(?:=| )`),
  /(?:^| )--?lxc[.[]/,
  new RegExp(`${opt('unprivileged', 3)}${off}`),
  // Anything in the features but nesting: keyctl, fuse, mount, mknod, force_rw_sys.
  new RegExp(`${opt('features', 2)}(?:=| )\\S*\\b(?:keyctl|fuse|mount|mknod|force_rw_sys)=(?!0)`),
  new RegExp(`${opt('args', 2)}(?:=| )`),
  /(?:^| )--?(?:hostpci|virtiofs|parallel)\d+(?:=| )/,
  /(?:^| )--?usb\d+(?:=| )(?!spice)/,
  /(?:^| )--?serial\d+(?:=| )\/dev\//,
  /(?:^| )--?(?:scsi|ide|sata|virtio|efidisk)\d+(?:=| )(?:file=)?\//,
];
const LOGINS = new RegExp(
  `${opt('password', 2)}|${opt('ssh-public-keys', 3)}|${opt('sshkeys', 3)}|${opt('cipassword', 3)}|${opt('ciuser', 3)}|${opt('cicustom', 3)}`,
);
const FIREWALL_OFF = /(?:^| )--?net\d+(?:=| )\S*firewall=0/;
const reaches = (call: { line: string }): boolean => REACHES.some((form) => form.test(call.line));

/** Proxmox: accounts, guests that reach the host, its firewall and its backup jobs. */
export const PROXMOX_USES: readonly AccessUse[] = [
  gains(
    'pveum pmgum',
    'decides who may do what in Proxmox',
    (call) => !/^\w+ (token )?(list|permissions)\b/.test(call.line),
    ['pveum acl modify / -user x@pve -role Administrator', 'pveum user token add x y'],
    ['pveum user list', 'pveum user token list x'],
  ),
  gains(
    'pvesh',
    'decides who may do what in Proxmox',
    /^(?!get|ls|usage|help)\S+ \/?access\b/,
    ['pvesh create /access/users -userid x', 'pvesh set /access/acl -path /'],
    ['pvesh get /access/users'],
  ),
  gains(
    'pvesh',
    'opens a shell or a screen through the API',
    /^(?!get|ls|usage|help)\S+ \S+\/(termproxy|vncshell|spiceshell|vncproxy|spiceproxy|agent\/(exec|set-user-password|file-write)|execute)/,
    ['pvesh create /nodes/pve/termproxy'],
    ['pvesh get /nodes/pve/status'],
  ),
  gains(
    'pvesh',
    'changes what the firewall lets through',
    /^(?!get|ls|usage|help)\S+ \S*\/firewall\b/,
    ['pvesh set /cluster/firewall/options -enable 0'],
    ['pvesh get /cluster/firewall/rules'],
  ),
  gains(
    'pvesh',
    'changes which backups are made, or who is told',
    /^(?!get|ls|usage|help)\S+ \/(cluster|nodes\/\S+?)\/(backup|jobs|replication|notifications|metrics)\b/,
    ['pvesh delete /cluster/backup/x', 'pvesh set /cluster/backup/x -enabled 0'],
    ['pvesh get /cluster/backup'],
  ),
  gains(
    'pct qm pvesh',
    'lets a guest reach the host: its files, devices, kernel or the programs it runs',
    reaches,
    [
      'pct set 101 -mp0 /,mp=/host',
      'pct set 101 --hooks local:snippets/x',
      'pct create 101 x --unprivileged 0',
      'pct set 101 --features keyctl=1,nesting=1',
      'pct set 101 -dev0 /dev/kvm',
      'qm set 100 -args x',
      'qm set 100 --hostpci0 01:00',
      'qm set 100 -scsi1 /dev/disk/by-id/x',
      'pvesh set /nodes/pve/lxc/101/config -mp0 /,mp=/x',
    ],
    [
      'pct set 101 --features nesting=1',
      'pct set 101 -mp0 local-zfs:8,mp=/data',
      'pct set 101 --memory 1024',
      'qm set 100 -scsi1 local-lvm:32',
      'pct create 101 x --unprivileged 1',
    ],
  ),
  gains(
    'pct qm pvesh',
    'sets a password or key that may log in to a guest',
    (call) => LOGINS.test(call.line) || /^guest passwd|^terminal/.test(call.line),
    ['qm set 100 --sshkeys x', 'qm guest passwd 100 root', 'pct create 101 x --password y'],
    ['pct set 101 --hostname x', 'pct restore 101 x --pool y'],
  ),
  gains(
    'pct qm pvesh',
    'takes a guest out of the firewall',
    FIREWALL_OFF,
    ['pct set 101 -net0 name=eth0,bridge=vmbr0,firewall=0'],
    ['pct set 101 -net0 name=eth0,bridge=vmbr0,firewall=1'],
  ),
  gains(
    'qm',
    'speaks to the emulator directly',
    /^(monitor|mon|sendkey)\b/,
    ['qm monitor 100'],
    ['qm status 100'],
  ),
  gains(
    'pve-firewall proxmox-firewall',
    'turns the firewall off or on',
    /^(sto|sta[^t]|res)/,
    ['pve-firewall stop'],
    ['pve-firewall status'],
  ),
  gains(
    'pvecm',
    'joins machines that then have root on each other',
    /^(ad|cr|addn|ap|q?device)/,
    ['pvecm add 10.0.0.2', 'pvecm addnode x'],
    ['pvecm status'],
  ),
  gains('pvesr', 'stops copies of a guest', /^(del|dis)/, ['pvesr disable 101-0'], ['pvesr list']),
  gains(
    'proxmox-backup-manager',
    'decides who may do what in the backup server, or which jobs run',
    /^(user|acl|openid|ldap|ad|remote|sync-job|verify-job|prune-job|garbage-collection|traffic-control|cert|acme)\S* (?!list|show|status|info)/,
    ['proxmox-backup-manager user create x@pbs', 'proxmox-backup-manager acl update / Admin'],
    ['proxmox-backup-manager user list'],
  ),
  gains(
    'proxmox-backup-client',
    'makes or changes a key of the backups',
    /^key (create|change|import|with)/,
    ['proxmox-backup-client key create'],
    ['proxmox-backup-client key show'],
  ),
  gains(
    'lxc incus',
    'lets a container reach the host',
    /security\.(privileged|nesting|syscalls)|raw\.(lxc|qemu|apparmor|idmap)|device add \S+ \S+ (disk|unix|gpu|proxy|usb|pci)|trust add|core\.https_address/,
    ['lxc config set x security.privileged true'],
    ['lxc list'],
  ),
  gains(
    'lxc-start lxc-execute lxc-device lxc-create',
    'lets a container reach the host',
    /(^| )(-s|--define|-f|--rcfile|add)(?= |=)/,
    ['lxc-start -n x -s lxc.cap.drop='],
    ['lxc-start -n x'],
  ),
  gains(
    'ha-manager',
    'takes guests out of high availability',
    word('remove|rem'),
    ['ha-manager remove vm:1'],
    ['ha-manager status'],
  ),
];
