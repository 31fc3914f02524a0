import {
  changes,
  destroys,
  hasWord,
  operandsOf,
  type Program,
  phrase,
  type Rule,
  theTarget,
} from '../rule.ts';
import { only } from './builders.ts';

const NAME = '[\\w.@:/][\\w.@:/+-]*';

function tool(names: string, ...rules: Rule[]): Program {
  return { names: names.split(' '), operands: 'named', rules };
}

const KINDS =
  'addons|apps|audio|backups|cli|core|dns|docker|hardware|host|info|jobs|mounts|multicast|network|observer|os|resolution|store|supervisor';

/** `ha`: the supervisor of Home Assistant. */
const homeAssistant = tool(
  'ha',
  phrase(
    '',
    'asks Home Assistant about itself',
    new RegExp(
      `^((${KINDS})( (info|stats|check|list|logs( --lines \\d+| -n \\d+)?))?|(addons|apps|store) (info|logs|stats) ${NAME}|help)( --raw-json| --no-progress)*$`,
    ),
    ['ha core info', 'ha addons', 'ha addons logs core_ssh'],
    [
      'ha core update',
      'ha addons uninstall x',
      'ha backups restore x',
      'ha --endpoint x core info',
    ],
  ),
  destroys(
    '',
    'throws away a backup, an add-on or what there is now',
    ['ha backups remove x', 'ha addons uninstall x', 'ha backups restore x', 'ha os datadisk wipe'],
    ['ha core info', 'ha backups new'],
    {
      if: hasWord(/^(remove|uninstall|restore|wipe|delete)$/),
      objects: (call) => operandsOf(call).slice(-1),
      confirmVerb: 'remove',
    },
  ),
  destroys('host', 'takes the machine down', ['ha host reboot'], ['ha host info'], {
    if: hasWord(/^(reboot|shutdown)$/),
    objects: theTarget,
    confirmVerb: 'reboot',
  }),
);

/** What people run at home beside Proxmox and containers: questions, and what is surely none. */
export const HOMELAB: readonly Program[] = [
  homeAssistant,
  tool(
    'pihole',
    phrase(
      '',
      'shows its state',
      new RegExp(
        `^(status|-v|version|--version|-c( -[ej])?|chronometer -e|-q( -(all|exact|adlist|a))* ${NAME}|query ${NAME}|-l status)$`,
      ),
      ['pihole status', 'pihole -q example.com'],
      ['pihole disable', 'pihole -t', 'pihole -q'],
    ),
    { ...lowReload() },
    changes('', 'goes on until it is stopped', ['pihole -t', 'pihole -c'], ['pihole status'], {
      flags: ['unbounded'],
      safer: 'pihole -c -e',
      if: (call) => {
        const line = call.args.map((arg) => arg.text).join(' ');
        return /^(-t|tail|-c|chronometer)$/.test(line);
      },
    }),
    destroys('', 'empties what it has logged', ['pihole -f'], ['pihole -v'], {
      if: hasWord(/^(-f|flush|uninstall)$/),
      objects: theTarget,
      confirmVerb: 'flush',
    }),
  ),
  only(
    'vcgencmd',
    'shows the state of a small computer',
    /^(measure_(temp|clock \w+|volts( \w+)?)|get_(throttled|camera|mem \w+|config \w+)|version|codec_enabled \w+|bootloader_(version|config))$/,
    ['vcgencmd measure_temp'],
    ['vcgencmd display_power 0'],
  ),
  {
    names: ['unbound-checkconf', 'promtool'],
    operands: 'read',
    rules: [
      phrase(
        '',
        'checks the settings',
        /^((check (config|rules|healthy|ready) )?\/etc\/[\w/.-]+)?$/,
        ['unbound-checkconf', 'promtool check config /etc/prometheus/prometheus.yml'],
        ['unbound-checkconf -o x'],
      ),
    ],
  },
  only('dnsmasq', 'checks the settings', /^(--test|-v)$/, ['dnsmasq --test'], ['dnsmasq -d']),
  only('mosquitto', 'shows its version', /^-h$/, ['mosquitto -h'], ['mosquitto -c x']),
  only(
    'traefik caddy-docker-proxy',
    'shows its version',
    /^(version|healthcheck)$/,
    ['traefik version'],
    ['traefik --api'],
  ),
  only(
    'syncthing',
    'shows its state',
    /^(version|cli show (system|version|connections|pending \w+|discovery)|cli errors|cli config folders list|cli config devices list)$/,
    ['syncthing cli show system'],
    ['syncthing cli operations restart', 'syncthing cli config dump-json'],
  ),
  only(
    'cloudflared',
    'shows tunnels',
    new RegExp(`^(version|tunnel (list|info ${NAME})|tunnel ingress validate)$`),
    ['cloudflared tunnel list'],
    ['cloudflared tunnel run x', 'cloudflared tunnel token x'],
    destroys(
      'tunnel delete',
      'deletes a tunnel',
      ['cloudflared tunnel delete x'],
      ['cloudflared tunnel list'],
      {
        objects: operandsOf,
      },
    ),
    destroys(
      'tunnel token',
      'prints a credential',
      ['cloudflared tunnel token x'],
      ['cloudflared tunnel list'],
      {
        objects: operandsOf,
        flags: ['secret'],
      },
    ),
  ),
  only(
    'netbird',
    'shows its state',
    /^(status( -d| --detail| --json)?|version|networks list|routes list)$/,
    ['netbird status'],
    ['netbird down'],
  ),
  only(
    'zerotier-cli',
    'shows its state',
    /^(-j )?(status|info|listnetworks|listpeers|peers|listmoons)$/,
    ['zerotier-cli status'],
    ['zerotier-cli leave x'],
  ),
  only(
    'vnstat',
    'shows traffic',
    /^(-[dhmtw5y]|-i \w[\w.-]*|--(oneline|json|days|hours|months|top10|short|iflist)|-s|\d+| )*$/,
    ['vnstat -d'],
    ['vnstat --remove -i eth0'],
  ),
  only('postfix', 'shows its state', /^(status|check)$/, ['postfix status'], ['postfix stop']),
  only('postqueue', 'lists waiting mail', /^-[pj]$/, ['postqueue -p'], ['postqueue -f']),
  only('mailq', 'lists waiting mail', /^$/, ['mailq'], ['mailq -Ac x']),
  only(
    'postconf',
    'shows settings',
    /^(-n|-d|mail_version|[a-z_]+)?$/,
    ['postconf -n'],
    ['postconf -e x=y'],
  ),
  only(
    'doveadm',
    'shows logins',
    /^(who|stats dump|service status|replicator status)$/,
    ['doveadm who'],
    ['doveadm expunge x'],
  ),
  only('dovecot', 'shows its version', /^--version$/, ['dovecot --version'], ['dovecot -n']),
  only(
    'flux',
    'shows deliveries to the cluster',
    new RegExp(
      `^(get( [a-z]+){1,2}( -A| -n ${NAME})?|check|version|stats( -A)?|tree ks ${NAME}|logs( --tail=\\d+)?)$`,
    ),
    ['flux get all -A'],
    ['flux reconcile ks x'],
    destroys('uninstall', 'removes it from the cluster', ['flux uninstall'], ['flux check'], {
      objects: theTarget,
    }),
    destroys('delete', 'deletes a delivery', ['flux delete ks x'], ['flux check'], {
      objects: (call) => operandsOf(call).slice(-1),
    }),
  ),
  only(
    'argocd',
    'shows deliveries to the cluster',
    new RegExp(
      `^(app (list|get ${NAME}|history ${NAME}|diff ${NAME})|cluster list|repo list|version( --client)?)$`,
    ),
    ['argocd app list'],
    ['argocd app sync x'],
  ),
  only(
    'gluster',
    'shows a storage cluster',
    new RegExp(
      `^(volume (status|info|list)( ${NAME})?( detail)?|peer status|pool list|volume heal ${NAME} info( summary)?|--version)$`,
    ),
    ['gluster volume status'],
    ['gluster volume stop x'],
    destroys('', 'deletes stored data', ['gluster volume delete x'], ['gluster volume info'], {
      if: hasWord(/^(delete|detach|remove-brick|reset-brick)$/),
      objects: (call) => operandsOf(call).slice(-1),
    }),
  ),
  only(
    'php-fpm php-fpm7.4 php-fpm8.1 php-fpm8.2 php-fpm8.3 php-fpm8.4',
    'checks the settings',
    /^(-t{1,2}|-v|-m|-i)$/,
    ['php-fpm -t'],
    ['php-fpm -F'],
  ),
  only(
    'coturn turnserver jellyfin plexmediaserver sonarr radarr grafana-server prometheus loki alertmanager node_exporter influxd goaccess zigbee2mqtt esphome frigate gitea forgejo',
    'shows its version',
    /^(version|-v|-V)$/,
    ['gitea -v'],
    ['gitea admin user list'],
  ),
];

function lowReload(): Rule {
  return {
    ...phrase(
      '',
      'makes it read its lists again',
      /^(reloaddns|reloadlists|restartdns reload(-lists)?)$/,
      ['pihole reloaddns'],
      ['pihole restartdns'],
    ),
    class: 'reversible_low',
  };
}
