import { given } from '../options.ts';
import {
  type Call,
  checked,
  destroys,
  hasWord,
  lineOf,
  type Match,
  matchUse,
  type Program,
  phrase,
  theTarget,
} from '../rule.ts';
import type { Value } from '../value.ts';
import { only } from './builders.ts';

const listRules = (call: Call): Match =>
  matchUse(
    {
      short: 'nvxLS',
      shortValue: 't',
      long: ['line-numbers', 'numeric', 'verbose', 'exact', 'list', 'list-rules'],
      longValue: ['table'],
      operands: 2,
      check: (parsed) =>
        given(parsed, 'L', 'S', 'list', 'list-rules').length > 0 ? undefined : 'it is no listing',
    },
    call,
  );

/** The table or chain; the whole ruleset is the target's. */
function flushed(call: Call): readonly Value[] {
  const words = call.args.filter((arg) => !/^-/.test(arg.text ?? ''));
  const plain = words.length <= 5 && words.every(({ text }) => /^[\w-]+$/.test(text ?? ''));
  if (!plain) return [];
  const [, kind] = words;
  return kind?.text === 'ruleset' ? theTarget() : words.slice(-1);
}

/** Firewalls. */
export const FIREWALL: readonly Program[] = [
  {
    names: ['iptables', 'ip6tables', 'iptables-legacy', 'iptables-nft', 'ebtables'],
    operands: 'named',
    rules: [
      checked(
        '',
        'lists firewall rules',
        listRules,
        ['iptables -t nat -L -n', 'iptables -S'],
        ['iptables -L -Z', 'iptables -A INPUT'],
      ),
      destroys(
        '',
        'drops all firewall rules',
        ['iptables -t nat -F', 'iptables --flush'],
        ['iptables -L'],
        { if: hasWord(/^-F$|^--fl/), objects: theTarget, confirmVerb: 'flush' },
      ),
    ],
  },
  only(
    'iptables-save ip6tables-save',
    'lists firewall rules',
    /^(-c|-t \w+)?$/,
    ['iptables-save'],
    ['iptables-save -f x'],
  ),
  {
    names: ['nft'],
    operands: 'named',
    rules: [
      phrase(
        '',
        'lists firewall rules',
        /^(-[anjsyN] )*list (ruleset|tables|(table|chain|set)( [\w][\w-]*){1,3}|chains|sets|counters)$/,
        ['nft list ruleset'],
        ['nft add rule x'],
      ),
      destroys('', 'drops firewall rules', ['nft flush ruleset'], ['nft list ruleset'], {
        if: (call) => /(^|[ ;])(flush|delete (?!rule)|destroy (?!rule)|reset)/.test(lineOf(call)),
        confirmVerb: 'flush',
        objects: flushed,
      }),
    ],
  },
  {
    names: ['ufw'],
    operands: 'named',
    rules: [
      phrase(
        '',
        'shows the firewall',
        /^(status( verbose| numbered)?|app list|show (added|listening))$/,
        ['ufw status'],
        ['ufw enable'],
      ),
      destroys('', 'drops all firewall rules', ['ufw --force reset'], ['ufw status'], {
        if: hasWord(/^reset$/),
        confirmVerb: 'reset',
        objects: theTarget,
      }),
    ],
  },
  only(
    'fail2ban-client',
    'shows bans',
    /^(status( [\w.][\w.-]*)?|version|ping|banned)$/,
    ['fail2ban-client status'],
    ['fail2ban-client stop'],
  ),
  only(
    'firewall-cmd',
    'shows the firewall',
    /^--(list-all|list-all-zones|get-active-zones|state|list-ports|list-services)$/,
    ['firewall-cmd --state'],
    ['firewall-cmd --reload'],
  ),
];
