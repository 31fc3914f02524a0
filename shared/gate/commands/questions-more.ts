import { given } from '../options.ts';
import { changes, destroys, hasWord, type Program, reads } from '../rule.ts';
import { only } from './builders.ts';

/** Further tools whose questions people ask at times: mail, switches, disks, applications. */
export const MORE_QUESTIONS: readonly Program[] = [
  only(
    'gitlab-ctl',
    'shows services',
    /^(status( [\w-]+)?|service-list|help|show-config-version|diff-config)$/,
    ['gitlab-ctl status'],
    ['gitlab-ctl restart'],
  ),
  only(
    'gitlab-rake',
    'checks the application',
    /^gitlab:(check|env:info|geo:check|ldap:check|sidekiq:check|gitaly:check|doctor:secrets)( SANITIZE=true)?$/,
    ['gitlab-rake gitlab:check'],
    ['gitlab-rake gitlab:setup'],
  ),
  only(
    'wbinfo',
    'shows accounts of the domain',
    /^-[ugtpDmP]$|^--(ping-dc|online-status|own-domain)$/,
    ['wbinfo -u'],
    ['wbinfo -a x%y'],
  ),
  only('klist', 'shows tickets', /^(-[lAef])?$/, ['klist'], ['klist -K']),
  {
    names: ['mosquitto_pub'],
    operands: 'named',
    rules: [
      changes(
        '',
        'sends a message that devices obey',
        ['mosquitto_pub -t a -m b'],
        ['mosquitto -h'],
      ),
    ],
  },
  {
    names: ['postsuper'],
    operands: 'named',
    rules: [
      destroys('', 'deletes waiting mail', ['postsuper -d ALL'], ['postsuper -r ALL'], {
        if: hasWord(/^-\w*d/),
      }),
    ],
  },
  only(
    'exiqgrep exiwhat',
    'shows the mail queue',
    /^((-[izbc])( |$))*$/,
    ['exiqgrep -c', 'exiwhat'],
    ['exiqgrep -C x'],
  ),
  only(
    'rspamadm',
    'checks or shows the spam filter',
    /^(configtest|corpustest --help|--version|help)$/,
    ['rspamadm configtest'],
    ['rspamadm pw'],
  ),
  only(
    'rspamc',
    'shows the counters of the spam filter',
    /^(stat|counters|uptime)$/,
    ['rspamc stat'],
    ['rspamc learn_spam'],
  ),
  only(
    'opendkim-testkey',
    'checks a DNS record of the mail server',
    /^((-[dsx] [\w./-]+|-v+)( |$))*$/,
    ['opendkim-testkey -d example.com -s mail -v'],
    ['opendkim-testkey -k key'],
  ),
  only(
    's6-svstat',
    'shows a service',
    /^\/[\w./-]+$/,
    ['s6-svstat /run/service/x'],
    ['s6-svstat -x'],
  ),
  only(
    'dkms',
    'shows modules',
    /^status( (-m|-k|-v) [\w.+-]+)*$/,
    ['dkms status'],
    ['dkms remove x'],
  ),
  only(
    'fsck',
    'shows what it would do',
    /^-N( -[ATMRVt]| [\w/.-]+)*$/,
    ['fsck -N /dev/sda1'],
    ['fsck /dev/sda1'],
  ),
  only(
    'partprobe',
    'shows what it would do',
    /^-d( -s)?( \/dev\/\w+)*$/,
    ['partprobe -d -s'],
    ['partprobe'],
  ),
  only(
    'bcache-super-show',
    'shows a cache',
    /^(-f )?\/dev\/\w+$/,
    ['bcache-super-show /dev/sdb'],
    ['bcache-super-show -x'],
  ),
  only(
    'e2fsck fsck.ext4 fsck.ext3',
    'checks without changing anything',
    /^(-[nfvt] )*-n( -[fvt])*( \/dev\/[\w./-]+)$/,
    ['e2fsck -n /dev/sdb1', 'e2fsck -f -n /dev/sdb1'],
    ['e2fsck -p /dev/sdb1', 'e2fsck -n -y /dev/sdb1'],
  ),
  only(
    'xfs_db',
    'shows the file system',
    /^-r( -c (freesp|frag|sb|info|version))+ \/dev\/[\w./-]+$/,
    ['xfs_db -r -c freesp /dev/sda1'],
    ['xfs_db -x /dev/sda1'],
  ),
  only('apropos', 'looks for manuals', /^(-[ae] )?\w[\w .-]*$/, ['apropos disk'], ['apropos --x']),
  only(
    'usbip',
    'lists USB devices',
    /^(list (-l|--local)|port)$/,
    ['usbip list -l'],
    ['usbip bind -b 1'],
  ),
  only('lsdvd lsdev lshal', 'lists hardware', /^$/, ['lsdev'], ['lsdev -x']),
  only(
    'corosync-cmapctl',
    'shows the settings of the cluster',
    /^(-g [\w.]+|-b|-m (stats|map))?$/,
    ['corosync-cmapctl'],
    ['corosync-cmapctl -s a str b'],
  ),
  only('lxd', 'shows a version', /^(--version|version)$/, ['lxd --version'], ['lxd init']),
  only(
    'dstat dool',
    'samples the load',
    /^((-[acdglmnprstyv]+|--(all|cpu|disk|mem|net|top-cpu|top-io|top-mem|nocolor|noheaders|version)) )*\d{1,2} \d{1,3}$/,
    ['dstat 1 5', 'dstat -cdngy 1 5'],
    ['dstat --output x 1 5', 'dstat'],
  ),
  only(
    'ovs-vsctl',
    'shows the switch',
    /^(show|list-br|list-ports [\w.-]+|list-ifaces [\w.-]+|br-exists [\w.-]+|(list|get) [\w.-]+( [\w.-]+)*|-V|--version)$/,
    ['ovs-vsctl show'],
    ['ovs-vsctl del-br x'],
  ),
  only(
    'birdc birdc6',
    'shows routes',
    /^(-r )?show [\w ./:*-]+$/,
    ['birdc show protocols'],
    ['birdc disable x'],
  ),
  {
    ...only(
      'ssh-keyscan',
      'asks for public host keys',
      /^((-[46HD]|-[pT] \d+|-t [\w,-]+) )*(localhost|127\.0\.0\.1|10(\.\d+){3}|192\.168(\.\d+){2}|172\.(1[6-9]|2\d|3[01])(\.\d+){2})$/,
      ['ssh-keyscan localhost'],
      ['ssh-keyscan -f x'],
    ),
  },
  only(
    'nut-scanner',
    'looks for power supplies on USB',
    /^(-[UqCN]|-C -q|-U -q)$/,
    ['nut-scanner -U'],
    ['nut-scanner -s 10.0.0.1'],
  ),
  {
    names: ['vtysh'],
    operands: 'named',
    rules: [
      reads(
        '',
        'shows routes',
        {
          shortValue: 'cd',
          operands: 0,
          check: (parsed) => {
            const asked = given(parsed, 'c');
            const shows = asked.every(({ text }) => /^(do )?show [\w ./:*-]+$/.test(text ?? ''));
            return asked.length > 0 && shows ? undefined : 'it is no show command';
          },
        },
        ['vtysh -c "show ip bgp summary"'],
        ['vtysh -c "conf t"', 'vtysh'],
      ),
    ],
  },
  only(
    'arp-scan',
    'looks which machines answer',
    /^((-[lqxg]|-I [\w.-]+|--(localnet|plain|ignoredups)|--interface[= ][\w.-]+)( |$))+$/,
    ['arp-scan -l', 'arp-scan -I vmbr0 -l'],
    ['arp-scan -f x'],
  ),
];
