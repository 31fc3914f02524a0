import { given, type OptionSpec } from '../options.ts';
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
  type Rule,
  reads,
  theTarget,
} from '../rule.ts';

const COMMON: OptionSpec = {
  short: 'alrq',
  shortValue: 'nopPt',
  long: 'no-pager full all plain no-legend failed value quiet recursive reverse after before user system show-types with-dependencies'.split(
    ' ',
  ),
  longValue: ['lines', 'output', 'property', 'type', 'state', 'legend'],
};
const GLOBALS: OptionSpec = {
  short: 'alq',
  shortValue: 't',
  long: ['no-pager', 'full', 'all', 'plain', 'no-legend', 'quiet', 'user', 'system', 'failed'],
  longValue: ['type', 'state'],
};

/** Units' own settings may hold passwords in Environment=. */
function show(call: Call): Match {
  return matchUse(
    {
      ...COMMON,
      named: true,
      check: (parsed) =>
        given(parsed, 'p', 'P', 'property').some((value) =>
          /environ/i.test(value.text ?? 'environ'),
        )
          ? 'it prints environment values'
          : undefined,
    },
    call,
  );
}

function looks(verb: string, why: string): Rule {
  return {
    ...checked(verb, why, show, [`systemctl ${verb} nginx`], [`systemctl ${verb} -H other nginx`]),
    ...(verb === 'status' ? { flags: ['outside_text'] as const } : {}),
  };
}

const LOOKS: readonly (readonly [string, string])[] = [
  ['status', 'shows how a service is doing'],
  ['show', 'shows the properties of a service'],
  ['cat', 'shows the unit files of a service'],
  ['is-active', 'tells whether a service runs'],
  ['is-enabled', 'tells whether a service starts by itself'],
  ['is-failed', 'tells whether a service has failed'],
  ['is-system-running', 'tells how the system is doing'],
  ['list-units', 'lists units'],
  ['list-unit-files', 'lists unit files'],
  ['list-timers', 'lists timers'],
  ['list-sockets', 'lists sockets'],
  ['list-dependencies', 'lists what a unit needs'],
  ['list-jobs', 'lists waiting jobs'],
  ['list-machines', 'lists machines'],
  ['list-automounts', 'lists automounts'],
  ['list-paths', 'lists watched paths'],
  ['get-default', 'shows the default target'],
];

const CHANGES: readonly (readonly [string, string])[] = [
  ['restart', 'restarts a service'],
  ['start', 'starts a service'],
  ['stop', 'stops a service'],
  ['try-restart', 'restarts a service'],
  ['reload-or-restart', 'reloads or restarts a service'],
  ['enable', 'lets a service start by itself'],
  ['disable', 'keeps a service from starting by itself'],
  ['mask', 'makes a service impossible to start'],
  ['unmask', 'makes a service possible to start again'],
  ['kill', 'signals the processes of a service'],
  ['edit', 'edits a unit'],
  ['set-property', 'changes the limits of a service'],
];

const DOWN =
  'reboot poweroff halt kexec soft-reboot rescue emergency suspend hibernate hybrid-sleep suspend-then-hibernate'.split(
    ' ',
  );

const systemctl: Program = {
  names: ['systemctl'],
  globals: GLOBALS,
  operands: 'named',
  rules: [
    reads(
      '',
      'lists units',
      { ...GLOBALS, long: [...(GLOBALS.long ?? []), 'version'], operands: 0 },
      ['systemctl --failed', 'systemctl'],
      ['systemctl -H x'],
    ),
    ...LOOKS.map(([verb, why]) => looks(verb, why)),
    low(
      'reload',
      'makes a service read its settings again',
      /^[\w@.:][\w@.:-]*( [\w@.:][\w@.:-]*)*$/,
      ['systemctl reload nginx'],
      ['systemctl reload --force x'],
    ),
    low(
      'daemon-reload',
      'reads unit files again',
      /^$/,
      ['systemctl daemon-reload'],
      ['systemctl daemon-reload x'],
    ),
    low(
      'reset-failed',
      'clears a failure mark',
      /^([\w@.:][\w@.:-]*( |$))*$/,
      ['systemctl reset-failed'],
      ['systemctl reset-failed -x'],
    ),
    ...CHANGES.map(([verb, why]) =>
      changes(verb, why, [`systemctl ${verb} nginx`], ['systemctl status nginx']),
    ),
    destroys(
      'clean',
      'deletes what a service has stored',
      ['systemctl clean nginx'],
      ['systemctl status nginx'],
      { objects: operandsOf },
    ),
    destroys(
      'revert',
      'deletes the own settings of a service',
      ['systemctl revert nginx'],
      ['systemctl status nginx'],
      { objects: operandsOf },
    ),
    ...DOWN.map((verb) =>
      destroys(verb, 'takes the machine down', [`systemctl ${verb}`], ['systemctl status x'], {
        objects: theTarget,
      }),
    ),
    destroys(
      'isolate',
      'takes the machine down',
      ['systemctl isolate rescue.target'],
      ['systemctl isolate multi-user.target'],
      {
        if: hasWord(/^(rescue|emergency|poweroff|reboot|halt|shutdown|kexec|runlevel[016])/),
        objects: theTarget,
      },
    ),
  ],
};

const JOURNAL: OptionSpec = {
  short: 'afkxeqrmN',
  shortMaybe: 'nb',
  shortValue: 'uUtpSogc',
  long: 'no-pager all follow dmesg catalog pager-end quiet reverse utc no-hostname disk-usage list-boots no-full no-tail system user merge list-fields header verify'.split(
    ' ',
  ),
  longMaybe: ['boot', 'fields'],
  longValue:
    'unit user-unit since until priority lines output grep identifier output-fields facility case-sensitive field'.split(
      ' ',
    ),
  numbers: true,
  operands: 0,
} as OptionSpec;

function journal(call: Call): Match {
  // `-n 20` and `-b -1` take their number as a word of its own.
  const args = call.args.filter(
    (arg, i) =>
      !(
        /^(-?\d+|all)$/.test(arg.text ?? '') &&
        /^-[a-zA-Z]*[nb]$/.test(call.args[i - 1]?.text ?? '')
      ),
  );
  return matchUse(
    {
      ...JOURNAL,
      operands: /^(_?[A-Z][A-Z_]*=|\/)/,
      check: (parsed) => ({
        matches: true,
        reads: [],
        flags:
          given(parsed, 'f', 'follow').length > 0
            ? ['outside_text', 'unbounded']
            : ['outside_text'],
      }),
    },
    { ...call, args },
  );
}

const journalctl: Program = {
  names: ['journalctl'],
  operands: 'named',
  rules: [
    {
      ...checked(
        '',
        'shows the journal',
        journal,
        ['journalctl -u nginx -n 50 --no-pager', 'journalctl -b -1 -p err'],
        ['journalctl --cursor-file=x', 'journalctl -D /x'],
      ),
      safer: 'journalctl -n 200 --no-pager',
    },
    low(
      '',
      'tidies the journal files',
      /^--(rotate|flush|sync)$/,
      ['journalctl --rotate'],
      ['journalctl --rotate --vacuum-time=1d'],
    ),
    destroys(
      '',
      'deletes old journal entries',
      ['journalctl --vacuum-size=1M', 'journalctl --vac=1'],
      ['journalctl -b'],
      {
        if: hasWord(/^--va/),
        confirmVerb: 'vacuum',
        objects: theTarget,
      },
    ),
  ],
};

/** The service manager and its journal. */
export const SYSTEMD: readonly Program[] = [systemctl, journalctl];
