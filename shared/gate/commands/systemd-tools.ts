import { given } from '../options.ts';
import {
  changes,
  destroys,
  firstOperand,
  hasWord,
  low,
  operandsOf,
  type Program,
  phrase,
  reads,
  theTarget,
} from '../rule.ts';

const SERVICE_NAME = '[\\w@.][\\w@.-]*';

/** The smaller tools around systemd, and the older `service`. */
export const SYSTEMD_TOOLS: readonly Program[] = [
  {
    names: ['systemd-tmpfiles'],
    operands: 'read',
    rules: [
      destroys(
        '',
        'deletes files as its settings say',
        ['systemd-tmpfiles --remove', 'systemd-tmpfiles --clean'],
        ['systemd-tmpfiles --create'],
        { if: hasWord(/^--(rem|cl|pur)/), objects: theTarget, confirmVerb: 'remove' },
      ),
    ],
  },
  {
    names: ['systemd-creds'],
    operands: 'read',
    rules: ['decrypt', 'cat'].map((verb) =>
      destroys(verb, 'prints a secret', [`systemd-creds ${verb} x`], ['systemd-creds list'], {
        flags: ['secret'],
        objects: firstOperand,
      }),
    ),
  },
  {
    names: ['machinectl'],
    operands: 'read',
    launches: true,
    rules: [
      destroys('remove', 'deletes a machine', ['machinectl remove web'], ['machinectl list'], {
        objects: operandsOf,
      }),
      phrase(
        '',
        'lists machines',
        /^(list|list-images|(status|show) [\w.-]+)?( --no-pager)?$/,
        ['machinectl list'],
        ['machinectl shell web'],
      ),
      changes(
        '',
        'runs a command in a machine',
        ['machinectl shell web'],
        ['true', 'machinectl list'],
        {
          if: (call) => !hasWord(/^(list|list-images|status|show)$/)(call),
        },
      ),
    ],
  },
  {
    names: ['service'],
    operands: 'named',
    rules: [
      phrase(
        '',
        'shows how a service is doing',
        new RegExp(`^(--status-all|${SERVICE_NAME} status)$`),
        ['service ssh status'],
        ['service ssh stop'],
      ),
      low(
        '',
        'makes a service read its settings again',
        new RegExp(`^${SERVICE_NAME} reload$`),
        ['service nginx reload'],
        ['service nginx restart'],
      ),
    ],
  },
  {
    names: ['loginctl'],
    operands: 'named',
    rules: [
      phrase(
        '',
        'shows logins',
        /^((list-sessions|list-users|list-seats|show-session|show-user|show-seat|session-status|user-status|seat-status)( \w+)*( --no-pager)?)?$/,
        ['loginctl list-sessions'],
        ['loginctl kill-user x'],
      ),
      ...['reboot', 'poweroff', 'halt', 'suspend'].map((verb) =>
        destroys(verb, 'takes the machine down', [`loginctl ${verb}`], ['loginctl'], {
          objects: theTarget,
        }),
      ),
    ],
  },
  {
    names: ['busctl'],
    operands: 'named',
    rules: [
      phrase(
        '',
        'lists services on the bus',
        /^(list( --(no-pager|acquired|activatable|unique))*|status|tree( [\w.]+)?|introspect [\w.]+ [\w/]+)?$/,
        ['busctl list'],
        ['busctl call x y z', 'busctl set-property x'],
      ),
      changes('monitor', 'goes on until it is stopped', ['busctl monitor'], ['busctl list'], {
        flags: ['unbounded'],
      }),
    ],
  },
  {
    names: ['coredumpctl'],
    operands: 'named',
    rules: [
      phrase(
        '',
        'lists crashes',
        /^(list|info)?( [\w./][\w./-]*)?( --no-pager)?$/,
        ['coredumpctl list'],
        ['coredumpctl debug 1 -x'],
      ),
    ],
  },
  {
    names: ['systemd-analyze'],
    operands: 'read',
    rules: [
      phrase(
        '',
        'shows how the system started',
        /^(blame|time|critical-chain( [\w@.][\w@.-]*)?|verify [\w@./][\w@./-]*|security( [\w@.][\w@.-]*)*|calendar \S+)?( --no-pager)?$/,
        ['systemd-analyze blame'],
        ['systemd-analyze log-level debug'],
      ),
      reads(
        'calendar',
        'works out when a timer runs',
        { longValue: ['iterations', 'base-time'], named: true },
        ["systemd-analyze calendar 'Mon *-*-* 02:00'"],
        ['systemd-analyze calendar --frob x'],
      ),
      reads(
        'timespan',
        'works out a stretch of time',
        { named: true },
        ["systemd-analyze timespan '1h 30min'"],
        ['systemd-analyze timespan --frob'],
      ),
    ],
  },
  {
    names: ['systemd-cgtop'],
    operands: 'named',
    rules: [
      reads(
        '',
        'shows load per service',
        {
          short: 'pcmibr',
          shortValue: 'ndP',
          long: ['batch'],
          longValue: ['iterations', 'depth', 'delay'],
          check: (parsed) =>
            given(parsed, 'n', 'iterations').length > 0 ? undefined : 'it never ends',
        },
        ['systemd-cgtop -b -n 1'],
        ['systemd-cgtop'],
      ),
    ],
  },
  {
    names: ['systemd-cgls'],
    operands: 'named',
    rules: [
      reads(
        '',
        'lists processes per service',
        { short: 'alk', long: ['no-pager', 'all', 'full'], operands: 1 },
        ['systemd-cgls'],
        ['systemd-cgls -M x'],
      ),
    ],
  },
  {
    names: ['systemd-resolve'],
    operands: 'named',
    rules: [
      phrase(
        '',
        'looks up names',
        /^(--status|--statistics|[\w.][\w.:-]*)$/,
        ['systemd-resolve --status'],
        ['systemd-resolve -i x'],
      ),
      low(
        '',
        'empties the cache of names',
        /^--flush-caches$/,
        ['systemd-resolve --flush-caches'],
        ['systemd-resolve --set-dns=x'],
      ),
    ],
  },
];
