import { type AccessUse, gains } from './use.ts';

const WATCHERS =
  'r?syslog\\S*|systemd-journald\\S*|auditd?|fail2ban|crowdsec\\S*|ufw|nftables|iptables|ip6tables|netfilter-persistent|firewalld|pve-firewall|proxmox-firewall|apparmor|selinux|logrotate\\S*|\\S*backup\\S*|restic\\S*|borg\\S*|vzdump\\S*|sanoid\\S*|syncoid\\S*|zrepl|btrbk\\S*|snapper\\S*|unattended-upgrades|apt-daily\\S*|smartd|smartmontools|zed|zfs-zed|mdmonitor|prometheus\\S*|node[-_]exporter|alertmanager|telegraf|zabbix-agent\\S*|netdata|promtail|loki|alloy|vector|fluent\\S*|filebeat|wazuh\\S*|osquery\\S*|suricata|snort|aide\\S*|clamav\\S*|monit|nagios\\S*|nrpe|uptime-kuma|beszel\\S*|gatus|grafana\\S*|cron|crond|anacron|atd|falco\\S*|diun|watchtower|pvescheduler|proxmox-backup\\S*|duplicati|kopia|urbackup\\S*';
const NAMED = `(?: \\S+)*? (?:${WATCHERS})(?:\\.(?:service|timer|socket|target))?(?= |$)`;

/** Logging, auditing, watching and backups turned off. */
export const WATCH_USES: readonly AccessUse[] = [
  gains(
    'systemctl',
    'turns off what watches, logs, guards or backs up',
    new RegExp(`(^| )(?:stop|disable|mask|kill|freeze)${NAMED}`),
    [
      'systemctl disable --now auditd',
      'systemctl stop restic-backup.timer',
      'systemctl mask rsyslog',
    ],
    ['systemctl restart rsyslog', 'systemctl stop nginx', 'systemctl status auditd'],
  ),
  gains(
    'systemctl',
    'turns off a timer',
    /(^| )(stop|disable|mask)( \S+)* \S+\.timer(?= |$)/,
    ['systemctl disable x.timer'],
    ['systemctl list-timers'],
  ),
  gains(
    'service rc-service invoke-rc.d',
    'turns off what watches, logs, guards or backs up',
    new RegExp(`^(?:${WATCHERS}) stop`),
    ['service rsyslog stop'],
    ['service rsyslog restart', 'service nginx stop'],
  ),
  gains(
    'docker podman docker-compose podman-compose',
    'turns off what watches, logs, guards or backs up',
    new RegExp(`(?:^| )(?:stop|kill|pause|rm|down|update)${NAMED}`),
    ['docker stop restic-backup', 'docker rm -f loki', 'docker compose stop promtail'],
    ['docker stop web', 'docker restart loki'],
  ),
  gains(
    'pkill killall kill',
    'stops what watches, logs, guards or backs up',
    new RegExp(`(?:^| )(?:${WATCHERS})(?= |$)`),
    ['pkill auditd', 'killall -9 rsyslogd'],
    ['pkill nginx'],
  ),
  gains(
    'auditctl augenrules',
    'changes what is audited',
    (call) => !/^-[sl]$|^--check$/.test(call.line),
    ['auditctl -e 0', 'auditctl -D'],
    ['auditctl -s'],
  ),
  gains(
    'zfs',
    'turns off the snapshots of a dataset',
    /^(set|inherit) .*(auto-snapshot|sanoid|autobackup)\S*/,
    ['zfs set com.sun:auto-snapshot=false tank/x'],
    ['zfs set compression=lz4 tank/x'],
  ),
  gains(
    'snapper',
    'turns off snapshots',
    /set-config.*=\s*"?no/,
    ['snapper set-config TIMELINE_CREATE=no'],
    ['snapper list'],
  ),
  gains(
    'set',
    'keeps what is typed from being noted',
    /\+o history/,
    ['set +o history'],
    ['set -e'],
  ),
  gains('history', 'wipes what was typed', /(^| )-\w*[cdw]/, ['history -c'], ['history']),
  gains(
    'unset export',
    'keeps what is typed from being noted',
    /HISTFILE|HISTSIZE=0|HISTCONTROL/,
    ['unset HISTFILE'],
    ['unset x'],
  ),
  gains(
    'utmpdump wtmpclean',
    'changes the record of logins',
    /(^| )(-r|--reverse|-o)/,
    ['utmpdump -r x'],
    ['utmpdump x'],
  ),
];
