import type { GateFlag } from '../domain/gate-result.ts';
import { namesOutside } from './checkers/hosts.ts';
import type { Value } from './value.ts';

/** What a use of a program is like beside its class. */
export interface Trait {
  readonly programs: string;
  /** How the words of the call read. */
  readonly form: RegExp;
  readonly flags: readonly GateFlag[];
  /** The bounded form of what never ends or waits for keys. */
  readonly bounded?: string;
  /** Holds only when a word names a host outside the operator's networks. */
  readonly outside?: true;
}

/** Goes on until it is stopped, or waits for keys that nobody can press. */
function endless(programs: string, form: RegExp, bounded: string): Trait {
  return { programs, form, flags: ['unbounded'], bounded };
}

/** Sends something to a host outside, if a word names one. */
function outside(programs: string, form: RegExp): Trait {
  return { programs, form, flags: ['egress'], outside: true };
}

/** Sends something to a registry or service outside by itself. */
function leaves(programs: string, form: RegExp): Trait {
  return { programs, form, flags: ['egress'] };
}

/** Prints what others can have written. */
function foreign(programs: string, form: RegExp): Trait {
  return { programs, form, flags: ['outside_text'] };
}

const SHELL = '(?:/(?:usr/)?bin/)?(?:ba|da|a|z|k)?sh';
const ANY = /^/;
const BARE = /^$/;

export const TRAITS: readonly Trait[] = [
  endless('tailf', ANY, 'tail -n 200 FILE'),
  endless(
    'docker-compose podman-compose',
    /(^| )logs( .*)? (-\w*f|--follow(?!=[0fF]))/,
    'docker compose logs --tail 200',
  ),
  endless(
    'docker-compose podman-compose',
    /(^| )stats(?!.* --no-stream(=true)?( |$))/,
    'docker compose stats --no-stream',
  ),
  endless(
    'docker-compose podman-compose',
    /(^| )watch( |$)|(^| )up(?= |$)(?!.* (-\w*d|--detach|--no-start|--wait))/,
    'docker compose logs --tail 200',
  ),
  endless('docker podman nerdctl', /^(container )?attach\b/, 'docker logs --tail 200 NAME'),
  endless(
    'docker podman nerdctl',
    new RegExp(`^(container )?(exec|run)\\b.* ${SHELL}$`),
    'docker exec NAME COMMAND',
  ),
  endless('kubectl oc', new RegExp(`(^| )exec\\b.* ${SHELL}$`), 'kubectl exec POD -- COMMAND'),
  endless('kubectl oc', /(^| )logs\b.* (-f|--follow)\b/, 'kubectl logs --tail=200 POD'),
  endless('kubectl oc', /(^| )get\b.* (-w|--watch|--watch-only)\b/, 'kubectl get without -w'),
  endless('kubectl oc', /(^| )(port-forward|proxy|attach)\b/, 'kubectl get pods'),
  endless('ping ping6', /^(?!(.* )?-\w*[cw] ?[1-9]\d{0,3}( |$))/, 'ping -c 4 HOST'),
  endless('arping', /^(?!(.* )?-\w*[cw] ?[1-9]\d{0,3}( |$))/, 'arping -c 4 HOST'),
  endless('udevadm', /^monitor/, 'udevadm info --query=all --name=DEVICE'),
  endless('inotifywait', /(^| )(-\w*m\w*|--monitor)(?= |$)/, 'find FOLDER -mmin -5'),
  endless('tail', /(^| )-(\d+[fF]|[qvz]*[fF]+[qvz]*[nc]?\d*)(?= |$)/, 'tail -n 200 FILE'),
  endless(
    'docker podman nerdctl',
    /^(container )?(run|start)\b(?=.* (-\w*i\w*|--interactive|-a|--attach)( |$))(?!.* -\w*d)/,
    'docker run -d, then docker logs --tail 200 NAME',
  ),
  endless('docker podman nerdctl', /^(container )?wait\b/, 'docker ps -a'),
  endless('stern kail kubetail', ANY, 'kubectl logs --tail=200 POD'),
  endless('k9s lazydocker ctop', /^(?!version$|-v$|--version$)/, 'docker stats --no-stream'),
  endless('free', /(^| )(-\w*s|--se)(?!.* (-\w*c ?|--c\w*[ =])[1-9])/, 'free -h'),
  endless('zpool', /^events\b.* -\w*f/, 'zpool events'),
  endless('dbus-monitor', ANY, 'busctl list'),
  endless('systemd-cgtop', /^(?!(.* )?(-\w*n ?|--iterations[ =])[1-9])/, 'systemd-cgtop -b -n 1'),
  endless('nvtop', ANY, 'nvidia-smi'),
  endless('vmstat', /^(-\w+ ([kKmM] )?)*\d+$/, 'vmstat 1 5'),
  endless('lnav multitail', ANY, 'tail -n 200 FILE'),
  endless('fswatch inotifywatch entr', ANY, 'find FOLDER -mmin -5'),
  endless('avahi-browse', /^(?!(.* )?(-\w*t|--t))/, 'avahi-browse -at'),
  endless('speedometer bmon vnstat', /^(-l|--live|-r|-rx|-tx|-t)\b/, 'ip -s link'),
  endless(
    'kubectl oc',
    /(^| )rollout status\b.* (-w|--watch)( |$|=true)/,
    'kubectl rollout history deploy/NAME',
  ),
  endless('pct', /^(enter|console)\b/, 'pct exec ID -- COMMAND'),
  endless('qm', /^(terminal|monitor)\b/, 'qm status ID --verbose'),
  endless('lxc-attach', /^(?!.* -- )/, 'lxc-attach -n ID -- COMMAND'),
  endless('lxc-console', ANY, 'lxc-attach -n ID -- COMMAND'),
  endless(
    'incus lxc',
    new RegExp(`^(console|monitor)\\b|^exec\\b.* ${SHELL}$`),
    'incus exec NAME -- COMMAND',
  ),
  endless('virsh', /^console\b/, 'virsh dominfo NAME'),
  endless('machinectl', /^(shell|login)\b/, 'machinectl status NAME'),
  endless('ssh', /^(-[46CnqTtvxak]+ )*[\w.@][\w.@-]*$/, 'ssh HOST COMMAND'),
  endless('sftp ftp', ANY, 'ls -la on that host'),
  endless('telnet', ANY, 'nc -zv -w 2 HOST PORT'),
  endless('nc netcat ncat', /^(?!(.* )?-\w*z)/, 'nc -zv -w 2 HOST PORT'),
  endless('bash sh dash ash zsh ksh fish', /^(-[il]+)?$/, 'the command itself'),
  endless('su', /^(-|-l|--login)?( ?[a-z_][\w-]*)?$/, "su - USER -c 'COMMAND'"),
  endless('sudo doas', /^(-[is]|su|su -)( |$)/, 'sudo COMMAND'),
  endless('python3 python node php perl ruby irb', BARE, 'the program with --version'),
  endless(
    'psql',
    /^(?!(.* )?(-\w*[clfV]\b|--(command|list|file|version|help)))/,
    "psql -c 'select count(*) from TABLE'",
  ),
  endless(
    'mysql mariadb',
    /^(?!(.* )?(-\w*e|--execute|-V|--version|--help))/,
    "mysql -e 'show processlist'",
  ),
  endless('sqlite3', /^(-\w+ )*[\w./-]+$/, "sqlite3 -readonly FILE '.tables'"),
  endless(
    'redis-cli valkey-cli',
    /^((-[hpn] \S+ ?)*|.*\bmonitor\b.*|.*\bp?subscribe\b.*|.*--stat\b.*|.*--latency\b.*)$/i,
    'redis-cli info',
  ),
  endless('mongosh mongo', /^(?!(.* )?--(eval|version|help))/, 'mongosh --version'),
  endless('vi vim nvim nano ed emacs pico joe mcedit', ANY, 'cat FILE'),
  endless('crontab', /(^| )-e$/, 'crontab -l'),
  endless('visudo vipw vigr', /^(?!(.* )?-\w*c)/, 'visudo -c'),
  endless('systemctl', /^edit\b/, 'systemctl cat UNIT'),
  endless(
    'git',
    /^commit(?!.* (-\w*[mFC]|--message|--file|--no-edit))|^rebase .*-i\b|^add .*-[pi]\b/,
    'git status',
  ),
  endless('cat tac head tail wc sort', BARE, 'the same with a FILE'),
  endless(
    'cat head tail od xxd',
    /\/dev\/(u?random|zero|input\/)/,
    'head -c 16 /proc/sys/kernel/random/uuid',
  ),
  endless('yes', ANY, 'echo y'),
  endless('sleep', /^(infinity|\d{3,}\w?|\d+[mhd])$/, 'sleep 5'),
  endless('mosquitto_sub', /^(?!(.* )?-[CW] ?[1-9])/, 'mosquitto_sub -t TOPIC -C 5 -W 10'),
  endless('nvidia-smi', /(^| )(-l|--loop\S*|dmon|pmon)\b/, 'nvidia-smi'),
  endless('intel_gpu_top', /^(?!-L)/, 'intel_gpu_top -L'),
  endless('radeontop', /^(?!(.* )?-l [1-9])/, 'radeontop -d - -l 1'),
  endless(
    'powertop sensors-detect raspi-config nmtui dpkg-reconfigure',
    /^(?!nonint|--(version|help|csv|html))/,
    'sensors',
  ),
  endless('busctl', /^(monitor|capture)\b/, 'busctl list'),
  endless('iperf3 iperf', /(^| )-s\b/, 'ip -s link'),
  endless('dstat dool perf', /^(?!.* \d+ \d+$|.*--(version|help))/, 'vmstat 1 5'),
  endless('strace ltrace', /(^| )-\w*p\b/, 'cat /proc/PID/status'),
  endless('ceph', /^(-w|--watch)/, 'ceph log last 50'),
  endless('nft ip rtmon', /(^| )mon(itor)?\b/, 'nft list ruleset'),
  endless('conntrack', /(^| )(-E|--event)\b/, 'conntrack -L'),
  endless('bluetoothctl nmcli resolvectl', /(^| )monitor\b/, 'nmcli device'),
  endless('bluetoothctl', BARE, 'bluetoothctl devices'),

  outside('docker podman nerdctl', /^(image )?(pull|push|run|create|login|manifest inspect)\b/),
  outside('git', /^(ls-remote|fetch|push|pull|clone|remote add|archive)\b/),
  outside('rsync scp sftp restic borg rclone nmap ntpdate openssl helm kubectl', ANY),
  leaves('docker podman', /^(push|login|search|manifest inspect|buildx imagetools)\b/),
  leaves('skopeo', ANY),
  leaves('git', /^push\b/),
  leaves('helm', /^(search hub|push|registry)\b/),
  leaves('ntpdate speedtest speedtest-cli ookla', /^(?!-v$|--version$|--help$|version$)/),
  leaves('mail mailx mutt sendmail swaks msmtp ssmtp', ANY),
  leaves('restic', /(s3|b2|sftp|rest|azure|gs|rclone|swift):/),

  foreign('git', /(^| )(log|show|diff|blame|shortlog|status|branch|tag|describe)\b/),
  foreign('last lastb lastlog w who coredumpctl ausearch aureport faillog', ANY),
  foreign('ha', /(^| )logs\b/),
  foreign('ceph', /^log last/),
  foreign('psql mysql mariadb sqlite3 mongosh redis-cli valkey-cli influx', ANY),
  foreign('pvesh', /^get .*\/(log|syslog|journal|tasks)\b/),
  foreign('pvenode proxmox-backup-manager', /(^| )task log\b/),
  foreign(
    'avahi-browse smbclient showmount bluetoothctl nmap arp-scan snmpwalk snmpget rpcinfo',
    ANY,
  ),
  foreign('transmission-remote deluge-console mailq postqueue mosquitto_sub exim exim4', ANY),
  foreign('ping mtr traceroute dig host nslookup whois drill getent', /[a-z]/i),
  foreign('fail2ban-client cscli pihole', ANY),
  foreign('docker podman nerdctl', /^(top|diff|container top|search|history|image history)\b/),
  foreign('zfs zpool', /^(diff|history)\b/),
];

const BY_PROGRAM: ReadonlyMap<string, readonly Trait[]> = index();

function index(): ReadonlyMap<string, readonly Trait[]> {
  const traits = new Map<string, Trait[]>();
  for (const trait of TRAITS) {
    for (const program of trait.programs.split(' ')) {
      traits.set(program, [...(traits.get(program) ?? []), trait]);
    }
  }
  return traits;
}

// The forms take their time on long texts; what decides stands near the front.
const MAX_LENGTH = 2048;

/** What a call is like; several may hold. */
export function traitsOf(name: string, args: readonly Value[]): readonly Trait[] {
  const traits = BY_PROGRAM.get(name);
  if (traits === undefined) return [];
  const line = args
    .map((arg) => arg.text ?? '…')
    .join(' ')
    .slice(0, MAX_LENGTH);
  const names = args.some((arg) => namesOutside(arg.text ?? ''));
  return traits.filter((trait) => (trait.outside === undefined || names) && trait.form.test(line));
}
