import type { OptionSpec } from '../options.ts';
import {
  type Call,
  changes,
  checked,
  destroys,
  hasWord,
  low,
  type Match,
  matchUse,
  operandsOf,
  type Program,
  phrase,
  reads,
  theTarget,
} from '../rule.ts';
import { only } from './builders.ts';

const IP_OBJECTS =
  /^(a|addr|address|r|ro|route|l|link|n|nei|neigh|neighbor|neighbour|rule|ru|netns|maddr|maddress|tunnel|vrf|nexthop)$/;
const IP_OPTIONS: OptionSpec = {
  oneDash: true,
  long: 'br brief 4 6 s d j p c o r t details stats json pretty color oneline N h human ss'.split(
    ' ',
  ),
  longValue: ['n', 'netns'],
  stopAtOperand: true,
};

/** iproute2 shortens every word: only these full words are looks. */
function ip(call: Call): Match {
  return matchUse(
    {
      ...IP_OPTIONS,
      check: (parsed) => {
        const [object, verb, ...more] = parsed.operands;
        if (!IP_OBJECTS.test(object?.text ?? ''))
          return 'the object is not known to be harmless to ask for';
        if (more.some((value) => value.words !== 'one') || (verb && verb.text === undefined))
          return 'a word is decided at run time';
        const route = /^r(o|oute)?$/.test(object?.text ?? '') && verb?.text === 'get';
        const netns = object?.text === 'netns' && /^(identify|pids)$/.test(verb?.text ?? '');
        return verb === undefined || /^(show|list|ls|lst)$/.test(verb.text ?? '') || route || netns
          ? undefined
          : 'it is no plain question';
      },
    },
    call,
  );
}

/** Any shortening of `address flush`, `route flush`; a cache fills itself again. */
function flushes(call: Call): boolean {
  const [object, verb, what] = operandsOf(call).map((arg) => arg.text ?? '');
  const all = /^fl?u?s?h?$/.test(verb ?? '') && verb !== '' && what !== 'cache';
  return all && /^(a|ad|add|addr\w*|ro?|rou\w*)$/.test(object ?? '');
}

const ss = reads(
  '',
  'lists sockets',
  {
    short: 'tulpnaesimoxwH46ZOrdb',
    shortValue: 'f',
    long: 'tcp udp listening processes numeric all summary extended info no-header options memory'.split(
      ' ',
    ),
    check: (parsed) =>
      parsed.operands.every((operand) => /^[\w.:/()*=!<>, -]+$/.test(operand.text ?? ''))
        ? undefined
        : 'its filter is odd',
  },
  ['ss -tulpn', 'ss -tan state established'],
  ['ss -K dst x', 'ss -D x'],
);

const ETHTOOL =
  /^(-[iSkgaclmnPTdx] )?[a-z]([\w.@][\w.@-]*)?$|^--(driver|statistics|show-features|show-ring|show-coalesce|show-channels|module-info|show-eee|show-pause) [a-z]([\w.@][\w.@-]*)?$/;

/** The machine's own network. */
export const NETWORK: readonly Program[] = [
  {
    names: ['ip'],
    operands: 'named',
    launches: true,
    rules: [
      checked(
        '',
        'shows network settings',
        ip,
        ['ip -br a', 'ip route get 1.1.1.1'],
        ['ip l s eth0 down', 'ip route add x', 'ip netns exec x sh'],
      ),
      low(
        '',
        'empties a cache of routes',
        /^route flush cache$/,
        ['ip route flush cache'],
        ['ip route flush all'],
      ),
      destroys(
        '',
        'drops every address or route',
        ['ip a f dev eth0', 'ip route flush all'],
        ['ip route flush cache', 'ip a'],
        { if: flushes, objects: theTarget, confirmVerb: 'flush' },
      ),
      changes('monitor', 'never ends', ['ip monitor'], ['ip a'], {
        flags: ['unbounded'],
        safer: 'ip -br a',
      }),
    ],
  },
  { names: ['ss'], operands: 'named', rules: [ss] },
  {
    names: ['netstat'],
    operands: 'named',
    rules: [
      reads(
        '',
        'lists sockets',
        { short: 'tulpnaergisc46xwW', operands: 0 },
        ['netstat -tulpn'],
        ['netstat x'],
      ),
    ],
  },
  only('arp', 'shows neighbours', /^(-n|-a|-an|-e)?$/, ['arp -n'], ['arp -s a b']),
  only('route', 'shows routes', /^(-n|-6n|-en)?$/, ['route -n'], ['route del default']),
  only(
    'ifconfig',
    'shows network cards',
    /^(-a|[a-z][\w.]*)?$/,
    ['ifconfig eth0'],
    ['ifconfig eth0 down'],
  ),
  only(
    'bridge',
    'shows bridges',
    /^(-(s|d|j|p|c|br|statistics|details|json|pretty) )*(link|fdb|vlan|mdb|vni)( show( (dev|br|brport) [\w.][\w.-]*)*)?$/,
    ['bridge link'],
    ['bridge vlan add x'],
  ),
  only(
    'brctl',
    'shows bridges',
    /^(show( [\w.][\w.-]*)?|showmacs [\w.][\w.-]*)$/,
    ['brctl show'],
    ['brctl addbr x'],
  ),
  only(
    'ethtool',
    'shows a network card',
    ETHTOOL,
    ['ethtool eth0', 'ethtool -k eth0'],
    ['ethtool -K eth0 tso off', 'ethtool -p eth0'],
  ),
  only(
    'iw',
    'shows wireless cards',
    /^(dev|list|reg get|phy|dev \w+ (info|link|station dump|scan dump|survey dump|get power_save))$/,
    ['iw dev'],
    ['iw reg set US'],
  ),
  {
    names: ['resolvectl'],
    operands: 'named',
    rules: [
      phrase(
        '',
        'looks up names',
        /^((status|dns|domain)( [\w.][\w.-]*)?|statistics|query [\w.:][\w.:-]*)?$/,
        ['resolvectl status'],
        ['resolvectl dns eth0 1.1.1.1'],
      ),
      low(
        '',
        'empties the cache of names',
        /^flush-caches$/,
        ['resolvectl flush-caches'],
        ['resolvectl revert eth0'],
      ),
    ],
  },
  only(
    'networkctl',
    'shows network cards',
    /^((list|lldp|status)( [\w.][\w.-]*)*)?( ?--(no-pager|no-legend|all))*$/,
    ['networkctl'],
    ['networkctl reload'],
  ),
  {
    names: ['nmcli'],
    operands: 'named',
    rules: [
      phrase(
        '',
        'shows network settings',
        /^((-t|-p|-f [\w.,]+|-g [\w.,]+) )*(d|dev|device|c|con|connection|g|general|n|networking|r|radio)?( (s|st|show|status)( --active| [\w.][\w.-]*)?)?( --active)?$/,
        ['nmcli dev status'],
        ['nmcli con down x'],
      ),
      destroys('', 'prints wireless passwords', ['nmcli -s con show x'], ['nmcli con show'], {
        if: hasWord(/^(-\w*s|--show-secrets)$/),
        flags: ['secret'],
      }),
    ],
  },
  only(
    'conntrack',
    'lists connections',
    /^(-L|-C|-S|-L -p \w+)$/,
    ['conntrack -L'],
    ['conntrack -F'],
  ),
  {
    names: ['wg'],
    operands: 'named',
    rules: [
      phrase(
        '',
        'shows tunnels',
        /^(show( [\w.][\w.-]*( (latest-handshakes|transfer|endpoints|allowed-ips|peers|listen-port))?)?)?$/,
        ['wg show', 'wg'],
        ['wg set wg0 x'],
      ),
      destroys(
        '',
        'prints a private key',
        ['wg showconf wg0', 'wg show wg0 private-key'],
        ['wg show'],
        {
          if: hasWord(/^(showconf|private-key|dump|preshared-keys|genkey|genpsk)$/),
          flags: ['secret'],
          objects: (call) =>
            operandsOf(call)
              .filter((arg) => /^wg\d/.test(arg.text ?? ''))
              .slice(0, 1),
        },
      ),
    ],
  },
  only(
    'tailscale',
    'shows the tailnet',
    /^(status( --(json|peers=false|self=false|active))*|ip( -[146])*( [\w.][\w.-]*)?|netcheck|version|whois [\d.:a-f]+|dns status|exit-node list|serve status|funnel status|ping( --?c[= ]?\d| --until-direct=false| --tsmp| --icmp)* [\w.][\w.-]*|licenses|metrics print)$/,
    ['tailscale status'],
    ['tailscale down'],
  ),
  only(
    'iwconfig',
    'shows wireless cards',
    /^([a-z][\w.]*)?$/,
    ['iwconfig wlan0'],
    ['iwconfig wlan0 essid x'],
  ),
  only(
    'iwlist',
    'looks for wireless networks',
    /^[a-z]\w* (scan|channel|rate|freq)$/,
    ['iwlist wlan0 scan'],
    ['iwlist x y z'],
  ),
  only(
    'rfkill',
    'shows which radios are off',
    /^(list)?( \w+)?$/,
    ['rfkill list'],
    ['rfkill block wifi'],
    changes('', 'turns a radio on or off', ['rfkill block wifi'], ['rfkill list'], {
      if: hasWord(/^(un)?block$|^toggle$/),
    }),
  ),
  only(
    'mii-tool',
    'shows a network card',
    /^(-v )?[a-z]\w*$/,
    ['mii-tool eth0'],
    ['mii-tool -r eth0'],
  ),
  only(
    'lldpcli',
    'shows neighbours',
    /^show (neighbors|interfaces|chassis|statistics)( summary| details)?$/,
    ['lldpcli show neighbors'],
    ['lldpcli configure x'],
  ),
  only('lldpctl', 'shows neighbours', /^$/, ['lldpctl'], ['lldpctl -f x']),
  only(
    'avahi-browse',
    'lists services nearby',
    /^-[atrpkl]+( [\w._][\w._-]*)?$/,
    ['avahi-browse -at'],
    ['avahi-browse x'],
  ),
  {
    names: ['tcpdump', 'tshark'],
    operands: 'read',
    launches: true,
    rules: [
      changes('', 'listens to traffic', ['tcpdump -ni any'], ['ss -tlnp'], {
        flags: ['unbounded'],
        if: (call) => !hasWord(/^(-D|--list-interfaces)$/)(call),
      }),
      phrase(
        '',
        'lists network cards',
        /^(-D|--list-interfaces)$/,
        ['tcpdump -D'],
        ['tcpdump -i x'],
      ),
    ],
  },
];
