import { changes, low, type Program, phrase, type Rule } from '../rule.ts';

function tool(names: string, ...rules: Rule[]): Program {
  return { names: names.split(' '), operands: 'named', rules };
}

const webCheck = (why: string): Rule =>
  phrase('', why, /^(-t|-S|-v|-M|configtest)$/, ['apachectl -t'], ['apachectl stop']);

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
      /^(version|list-modules|validate( --config \/[\w/.][\w/.-]*)?)$/,
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
      /^graceful$/,
      ['apachectl graceful'],
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
    'pihole',
    phrase('', 'shows its state', /^(status|-v|version)$/, ['pihole status'], ['pihole disable']),
    low(
      '',
      'makes it read its lists again',
      /^reloaddns$/,
      ['pihole reloaddns'],
      ['pihole restartdns'],
    ),
  ),
  tool(
    'rndc',
    phrase('', 'shows its state', /^status$/, ['rndc status'], ['rndc stop']),
    low('', 'makes it read its settings again', /^(reload|flush)$/, ['rndc reload'], ['rndc stop']),
  ),
  tool(
    'unbound-control',
    phrase(
      '',
      'shows its state',
      /^(status|stats_noreset)$/,
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
    'redis-server postgres mysqld',
    phrase(
      '',
      'shows the version',
      /^(--version|-V)$/,
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
