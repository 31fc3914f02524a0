import {
  type Call,
  changes,
  checked,
  destroys,
  hasWord,
  low,
  type Match,
  matchUse,
  type Program,
  phrase,
  reads,
  theTarget,
} from '../rule.ts';
import { only, shows } from './builders.ts';

function date(call: Call): Match {
  const spec = {
    short: 'uR',
    shortMaybe: 'I',
    shortValue: 'd',
    long: ['utc', 'universal', 'rfc-email'],
    longMaybe: ['iso-8601'],
    longValue: ['date', 'rfc-3339'],
  };
  return matchUse(
    {
      ...spec,
      check: (parsed) =>
        parsed.operands.every((operand) => operand.prefix.startsWith('+'))
          ? undefined
          : 'an operand sets the clock',
    },
    call,
  );
}

/** The machine, its time, its kernel, its sensors. */
export const SYSTEM: readonly Program[] = [
  shows('uname arch', 'names the kernel and machine', 'uname -a'),
  shows('uptime', 'shows how long the machine has been up', 'uptime'),
  shows('free', 'shows memory in use', 'free -h'),
  shows('nproc lscpu lsmem lsirq', 'describes processors and memory', 'lscpu'),
  shows('modinfo getconf tty locale lsb_release', 'shows facts about the system', 'modinfo zfs'),
  shows('whoami groups id w logname', 'shows who is logged in', 'id www-data'),
  {
    names: ['who', 'users'],
    operands: 'named',
    rules: [
      reads(
        '',
        'shows who is logged in',
        { short: 'abdHlmpqrstTuw', long: ['all', 'boot', 'heading', 'count'], operands: 0 },
        ['who -a'],
        ['who /etc/shadow'],
      ),
    ],
  },
  {
    names: ['lastlog'],
    operands: 'named',
    rules: [
      reads(
        '',
        'shows past logins',
        { shortValue: 'btu', operands: 0 },
        ['lastlog -u root'],
        ['lastlog -C -u root'],
      ),
    ],
  },
  shows('which whereis', 'finds a program', 'which docker'),
  shows('lsns lslocks lsipc', 'lists kernel objects', 'lsns'),
  {
    names: ['last', 'lastb'],
    operands: 'read',
    rules: [
      reads(
        '',
        'shows past logins',
        {
          short: 'adFiRwx',
          shortValue: 'nstp',
          numbers: true,
          longValue: ['since', 'until', 'limit'],
          long: ['fulltimes'],
        },
        ['last -n 20', 'last reboot'],
        ['last -f /etc/shadow'],
      ),
    ],
  },
  {
    names: ['lspci'],
    operands: 'named',
    rules: [
      reads(
        '',
        'lists hardware',
        { short: 'vknmtbDqQxP', shortValue: 'sd', operands: 0 },
        ['lspci -v -s 01:00.0'],
        ['lspci -H1'],
      ),
    ],
  },
  {
    names: ['faillog'],
    operands: 'named',
    rules: [
      reads(
        '',
        'shows failed logins',
        { short: 'a', shortValue: 'ut', operands: 0 },
        ['faillog -a'],
        ['faillog -r'],
      ),
    ],
  },
  {
    names: ['ausearch', 'aureport'],
    operands: 'read',
    rules: [
      reads(
        '',
        'searches the audit log',
        {
          short: 'i',
          shortValue: 'mxcpu',
          oneDash: true,
          longValue: ['ts', 'te', 'ui', 'ua', 'sv', 'm', 'k', 'p', 'c', 'x'],
          long: ['i', 'au', 'l', 'summary', 'interpret'],
        },
        ['ausearch -m avc -ts today'],
        ['ausearch -if x'],
      ),
    ],
  },
  only(
    'hostname',
    'shows the name of the machine',
    /^(-[fIisdA]|--fqdn|--short)?$/,
    ['hostname', 'hostname -f'],
    ['hostname evil'],
  ),
  {
    names: ['date'],
    operands: 'read',
    rules: [
      checked(
        '',
        'shows the time',
        date,
        ['date', 'date +%F', "date -d '2 days ago'"],
        ['date -s now', 'date 010100002020'],
      ),
    ],
  },
  only('cal', 'shows a calendar', /^(-\w|\d+|\s)*$/, ['cal'], ['cal x']),
  {
    names: ['sysctl'],
    operands: 'named',
    rules: [
      reads(
        '',
        'shows kernel settings',
        { short: 'nNaeA', long: ['all', 'values', 'names'], operands: /^[a-z0-9_./-]+$/ },
        ['sysctl vm.swappiness', 'sysctl -a'],
        ['sysctl -w a=1', 'sysctl -p', 'sysctl a=1'],
      ),
    ],
  },
  {
    names: ['dmesg'],
    operands: 'read',
    rules: [
      {
        ...reads(
          '',
          'shows kernel messages',
          {
            short: 'THkrxewtdPuLSW',
            shortValue: 'lf',
            long: 'ctime human nopager follow follow-new decode kernel reltime show-delta userspace'.split(
              ' ',
            ),
            longMaybe: ['color'],
            longValue: ['level', 'facility', 'since', 'until', 'time-format'],
            operands: 0,
            check: (parsed) => ({
              matches: true,
              flags: ['w', 'W', 'follow', 'follow-new'].some((option) => parsed.seen.has(option))
                ? ['unbounded', 'outside_text']
                : ['outside_text'],
            }),
          },
          ['dmesg -T --level=err,warn'],
          ['dmesg -C', 'dmesg -c'],
        ),
        safer: 'dmesg -T | tail -200',
      },
      destroys('', 'deletes the kernel messages', ['dmesg -C', 'dmesg -c'], ['dmesg -T'], {
        if: hasWord(/^-[a-zA-Z]*[cC]$|^--(clear|read-clear)$/),
        objects: theTarget,
        confirmVerb: 'clear',
      }),
    ],
  },
  {
    names: ['chronyc'],
    operands: 'named',
    rules: [
      phrase(
        '',
        'shows the clock service',
        /^(-n )?(tracking|sources( -v)?|sourcestats( -v)?|activity|ntpdata|serverstats)$/,
        ['chronyc tracking'],
        ['chronyc add server x'],
      ),
      low(
        '',
        'sets the clock right at once',
        /^makestep$/,
        ['chronyc makestep'],
        ['chronyc makestep 1 1'],
      ),
    ],
  },
  only(
    'hwclock',
    'shows the clock of the hardware',
    /^(-r|--show|--get|-v|--verbose)?$/,
    ['hwclock --show'],
    ['hwclock -w'],
  ),
  only(
    'systemd-path systemd-id128',
    'names folders and ids',
    /^(machine-id|boot-id|[a-z-]+)?$/,
    ['systemd-id128 machine-id'],
    ['systemd-id128 -x y z'],
  ),
  only(
    'duf',
    'shows how full filesystems are',
    /^(-[\w-]+|--(only|hide) [\w,]+|\/[\w/.-]*| )*$/,
    ['duf'],
    ['duf x y'],
  ),
  only(
    'dust',
    'adds up the size of files',
    /^(-d \d+|-[rsbn]|\/[\w/.-]*| )*$/,
    ['dust -d 2 /srv'],
    ['dust --config x'],
  ),
  only('ctop', 'shows its version', /^-v$/, ['ctop -v'], ['ctop x']),
  only(
    'lazydocker iperf3 speedtest speedtest-cli k9s rasdaemon multipass lynis',
    'shows its version',
    /^(-v|version)$/,
    ['k9s version'],
    ['k9s x'],
  ),
  only('ntpq', 'shows the clock service', /^-p?n?p?$/, ['ntpq -pn'], ['ntpq -c x']),
  only(
    'hostnamectl',
    "shows the machine's name",
    /^((--(no-pager|static|pretty|transient|json=\w+) ?)*(status|hostname|chassis|deployment|location|icon-name)?( --(no-pager|static|pretty|transient|json=\w+))*)$/,
    ['hostnamectl', 'hostnamectl status --no-pager', 'hostnamectl --static'],
    ['hostnamectl set-hostname x'],
  ),
  {
    names: ['timedatectl'],
    operands: 'named',
    rules: [
      phrase(
        '',
        'shows the clock',
        /^(status|show|timesync-status|list-timezones|show-timesync)?( ?(--(no-pager|all|value|property[= ]\w+)|-[pP] ?\w+|-a))*$/,
        ['timedatectl', 'timedatectl show -p NTPSynchronized --value'],
        ['timedatectl set-time x'],
      ),
      low(
        '',
        'keeps the clock right by itself',
        /^set-ntp true$/,
        ['timedatectl set-ntp true'],
        ['timedatectl set-ntp false'],
      ),
    ],
  },
  only(
    'localectl',
    'shows language settings',
    /^(status|list-locales)?$/,
    ['localectl'],
    ['localectl set-locale x'],
  ),
  {
    names: ['sync'],
    operands: 'named',
    rules: [low('', 'writes what is cached to disk', /^$/, ['sync'], ['sync -f x'])],
  },
  {
    names: ['logger'],
    operands: 'named',
    rules: [
      changes(
        '',
        'sends a line to the log of another host',
        ['logger -n 10.0.0.9 x'],
        ['logger x'],
        { if: hasWord(/^-n|^--server/), flags: ['egress'] },
      ),
    ],
  },
  {
    names: ['fstrim'],
    operands: 'named',
    rules: [
      low(
        '',
        'tells disks which blocks are free',
        /^((-a|-v|-av|-va|-A)( |$))*(\/([\w/][\w/-]*)?)?$/,
        ['fstrim -av'],
        ['fstrim -x'],
      ),
    ],
  },
  {
    names: ['nscd'],
    operands: 'named',
    rules: [
      low(
        '',
        'empties a cache of names',
        /^-i (hosts|passwd|group)$/,
        ['nscd -i hosts'],
        ['nscd -K'],
      ),
    ],
  },
  {
    names: ['needrestart'],
    operands: 'named',
    rules: [
      phrase(
        '',
        'lists services that need a restart',
        /^-b( -r l)?$/,
        ['needrestart -b'],
        ['needrestart -r a'],
      ),
    ],
  },
  {
    names: ['numfmt'],
    operands: 'read',
    rules: [
      reads('', 'formats numbers', { anyOption: true }, ['numfmt --to=iec 123'], ['./numfmt 1']),
    ],
  },
];
