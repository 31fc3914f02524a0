import { changes, hasWord, low, type Program, phrase, type Rule } from '../rule.ts';

function tool(names: string, ...rules: Rule[]): Program {
  // Checks of settings quote the lines they do not understand.
  return { names: names.split(' '), operands: 'read', rules };
}

const webCheck = (why: string): Rule =>
  phrase(
    '',
    why,
    /^(-t|-S|-v|-V|-M|-l|configtest|-t -D DUMP_(VHOSTS|MODULES)|status)$/,
    ['apachectl -t'],
    ['apachectl stop'],
  );

/** Server programs: their versions, their checks, their reloads. */
export const SERVICES: readonly Program[] = [
  tool(
    'nginx',
    phrase(
      '',
      'checks or shows the settings',
      /^(-v|-V|-t|-T|-tq|-q -t)$/,
      ['nginx -t'],
      ['nginx -s stop'],
    ),
    low(
      '',
      'makes it read its settings again',
      /^-s reload$/,
      ['nginx -s reload'],
      ['nginx -s stop'],
    ),
  ),
  tool(
    'caddy',
    phrase(
      '',
      'checks or shows the settings',
      /^(version|list-modules|build-info|(validate|adapt)( --config \/[\w/.][\w/.-]*)?( --pretty)?|fmt( --diff)? \/etc\/caddy\/Caddyfile)$/,
      ['caddy version'],
      ['caddy trust'],
    ),
    low(
      '',
      'makes it read its settings again',
      /^reload( --config \/[\w/.][\w/.-]*)?$/,
      ['caddy reload'],
      ['caddy reload --address x'],
    ),
  ),
  tool(
    'apachectl apache2ctl',
    webCheck('checks or shows the settings'),
    low(
      '',
      'makes it read its settings again',
      /^(-k )?graceful$/,
      ['apachectl graceful', 'apachectl -k graceful'],
      ['apachectl restart'],
    ),
  ),
  tool(
    'sshd',
    phrase('', 'checks or shows the settings', /^-[tT]$/, ['sshd -T'], ['sshd -f x']),
    changes('', 'starts a login service', ['sshd -f x'], ['sshd -t'], {
      flags: ['access'],
      if: (call) => !/^-[tT]$/.test(call.args[0]?.text ?? ''),
    }),
  ),
  tool(
    'haproxy',
    phrase(
      '',
      'checks the settings',
      /^(-v|-c -f \/[\w/.][\w/.-]*)$/,
      ['haproxy -v'],
      ['haproxy -f x'],
    ),
  ),
  tool(
    'rc-status',
    phrase(
      '',
      'lists services',
      /^(-\w|--\w+|\w+)?$/,
      ['rc-status', 'rc-status -a'],
      ['rc-status a b'],
    ),
  ),
  tool(
    'rc-service',
    phrase(
      '',
      'shows how a service is doing',
      /^(-l|--list|[\w.-]+ (status|describe))$/,
      ['rc-service nginx status'],
      ['rc-service nginx restart'],
    ),
    low(
      '',
      'makes a service read its settings again',
      /^[\w.-]+ reload$/,
      ['rc-service nginx reload'],
      ['rc-service nginx restart'],
    ),
    changes('', 'changes a service', ['rc-service nginx restart'], ['rc-service nginx status'], {
      if: hasWord(/^(start|stop|restart|zap)$/),
    }),
  ),
  tool(
    'rc-update',
    phrase(
      '',
      'lists what starts by itself',
      /^(show|-v show)?( \w+)?$/,
      ['rc-update show'],
      ['rc-update add x default'],
    ),
  ),
  tool(
    'initctl',
    phrase(
      '',
      'lists services',
      /^(list|status [\w.-]+|version)$/,
      ['initctl list'],
      ['initctl stop x'],
    ),
  ),
  tool(
    'rndc',
    phrase('', 'shows its state', /^status$/, ['rndc status'], ['rndc stop']),
    low(
      '',
      'makes it read its settings again',
      /^(reload|reconfig|flush|(flushname|flushtree|reload) [\w.][\w.-]*)$/,
      ['rndc reload', 'rndc flushname x.lan'],
      ['rndc stop'],
    ),
  ),
  tool(
    'unbound-control',
    phrase(
      '',
      'shows its state',
      /^(status|stats_noreset|list_(forwards|stubs|local_zones)|get_option [\w-]+|lookup [\w.-]+)$/,
      ['unbound-control status'],
      ['unbound-control stop'],
    ),
    low(
      '',
      'makes it read its settings again',
      /^reload$/,
      ['unbound-control reload'],
      ['unbound-control stop'],
    ),
  ),
  tool(
    'redis-server valkey-server postgres mysqld mariadbd mongod',
    phrase(
      '',
      'shows the version',
      /^(--version|-V|-v)$/,
      ['redis-server --version'],
      ['redis-server x'],
    ),
  ),
  tool(
    'named-checkconf',
    phrase('', 'checks the settings', /^(-z)?$/, ['named-checkconf'], ['named-checkconf -p']),
  ),
  tool(
    'logrotate',
    phrase(
      '',
      'shows what it would do',
      /^-d \/[\w/.][\w/.-]*$/,
      ['logrotate -d /etc/logrotate.conf'],
      ['logrotate -f /etc/logrotate.conf'],
    ),
  ),
];
