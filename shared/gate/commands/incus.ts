import type { OptionSpec } from '../options.ts';
import {
  type Call,
  changes,
  checked,
  destroys,
  firstOperand,
  type Match,
  operandsOf,
  type Program,
  type Rule,
  reads,
  refuse,
  theTarget,
} from '../rule.ts';
import { openContainer } from '../wrappers/guests.ts';

// Names of remotes end in a colon: those are other machines.
const here = (call: Call): boolean => operandsOf(call).every((arg) => !/:/.test(arg.text ?? ':'));

const LOOKING: OptionSpec = {
  short: 'fa',
  shortValue: 'c',
  long: ['all-projects', 'resources', 'show-log', 'expanded', 'fast'],
  longValue: ['format', 'columns', 'project', 'target'],
};

const LOOKS: readonly (readonly [string, string])[] = [
  ['list', 'lists containers'],
  ['ls', 'lists containers'],
  ['info', 'describes a container'],
  ['version', 'shows versions'],
  ['config show', 'shows the settings of a container'],
  ['config get', 'shows a setting of a container'],
  ['config device list', 'lists devices of a container'],
  ['config device show', 'shows devices of a container'],
  ['profile list', 'lists profiles'],
  ['profile show', 'shows a profile'],
  ['network list', 'lists networks'],
  ['network show', 'describes a network'],
  ['network list-leases', 'lists addresses in a network'],
  ['storage list', 'lists stores'],
  ['storage info', 'describes a store'],
  ['storage show', 'describes a store'],
  ['storage volume list', 'lists volumes'],
  ['snapshot list', 'lists snapshots'],
  ['image list', 'lists images'],
  ['image info', 'describes an image'],
  ['cluster list', 'lists machines of the cluster'],
  ['project list', 'lists projects'],
  ['operation list', 'lists running work'],
  ['remote list', 'lists remotes'],
  ['warning list', 'lists warnings'],
];

const looks = ([verb, why]: readonly [string, string]): Rule =>
  reads(
    verb,
    why,
    {
      ...LOOKING,
      operands: 3,
      named: true,
      check: (_parsed, call) => (here(call) ? undefined : 'it asks another machine'),
    },
    [`incus ${verb}`],
    [`incus ${verb} --frob`, `incus ${verb} other:`],
  );

const REMOVED: readonly (readonly [string, string])[] = [
  ['delete', 'deletes a container'],
  ['rm', 'deletes a container'],
  ['snapshot delete', 'deletes a snapshot'],
  ['storage delete', 'deletes a store'],
  ['storage volume delete', 'deletes a volume'],
  ['network delete', 'deletes a network'],
  ['profile delete', 'deletes a profile'],
  ['image delete', 'deletes an image'],
  ['project delete', 'deletes a project'],
  ['cluster remove', 'removes a machine from the cluster'],
];

function openIncus(call: Call): Match {
  const [name] = operandsOf(call);
  if (/:/.test(name?.text ?? ':')) return refuse('it runs on another machine');
  return openContainer(
    ['-t', '-T', '-n', '--interactive=false'],
    ['--cwd', '--user', '--group'],
  )(call);
}

/** Containers and machines of Incus and LXD, by their clients. */
export const INCUS: readonly Program[] = [
  {
    names: ['incus', 'lxc'],
    operands: 'named',
    launches: true,
    touches: (words) =>
      LOOKS.some(([verb]) => verb.startsWith(words[0]?.text ?? '?')) ? [] : 'unknown',
    rules: [
      ...LOOKS.map(looks),
      checked(
        'exec',
        'runs a command in a container',
        openIncus,
        ['incus exec web -- df -h'],
        ['incus exec web', 'incus exec other:web -- ls', 'incus exec --env A=b web -- ls'],
      ),
      ...REMOVED.map(([verb, why]) =>
        destroys(verb, why, [`incus ${verb} web`], ['incus list'], { objects: operandsOf }),
      ),
      ...['snapshot restore', 'restore', 'rebuild'].map((verb) =>
        destroys(
          verb,
          'throws away what a container holds now',
          [`incus ${verb} web x`],
          ['incus list'],
          { objects: firstOperand },
        ),
      ),
      destroys('admin recover', 'takes stores over', ['incus admin recover'], ['incus list'], {
        objects: theTarget,
      }),
      ...['start', 'stop', 'restart', 'pause', 'launch', 'init', 'copy', 'move', 'publish'].map(
        (verb) =>
          changes(verb, `changes a container (${verb})`, [`incus ${verb} web`], ['incus list']),
      ),
    ],
  },
];
