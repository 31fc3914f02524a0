import {
  type Call,
  changes,
  checked,
  destroys,
  low,
  type Match,
  type Program,
  phrase,
  type Rule,
  reads,
  refuse,
  type Use,
} from '../rule.ts';
import { guestOperand } from '../touches.ts';
import type { Value } from '../value.ts';
import { openGuest } from '../wrappers/guests.ts';
import {
  disksDeleted,
  disksUnlinked,
  forced,
  guestId,
  guestLooks,
  looks,
} from './proxmox-questions.ts';

function guestChanges(
  program: string,
  pairs: readonly (readonly [string, string])[],
): readonly Rule[] {
  return pairs.map(([verb, why]) =>
    changes(verb, why, [`${program} ${verb} 101`], [`${program} list`]),
  );
}

const COMMON_CHANGES = [
  ['start', 'starts the guest'],
  ['stop', 'cuts the power of the guest'],
  ['shutdown', 'shuts the guest down'],
  ['reboot', 'restarts the guest'],
  ['suspend', 'freezes the guest'],
  ['resume', 'wakes the guest'],
  ['set', 'changes the settings of the guest'],
  ['create', 'creates a guest'],
  ['clone', 'copies a guest'],
  ['migrate', 'moves the guest to another host'],
  ['resize', 'enlarges a disk of the guest'],
  ['unlock', 'takes the lock off the guest'],
  ['template', 'turns the guest into a template'],
] as const;

/** The guest, a new name, and what only describes the snapshot. */
function addsSnapshot(program: string, options: readonly string[], not: string): Rule {
  const use: Use = {
    oneDash: true,
    longValue: options,
    staticOperands: true,
    operands: 2,
    check: ({ operands }) =>
      /^\d+ [\w][\w-]*$/.test(operands.map((each) => each.text ?? '').join(' '))
        ? undefined
        : 'it names no guest and snapshot',
  };
  const example = `${program} snapshot 101 before --description 'before the upgrade'`;
  return {
    ...reads('snapshot', 'adds a snapshot', use, [example, `${program} snapshot 101 b`], [not]),
    class: 'reversible_low',
  };
}

const deletesSnapshot = (program: string): Rule =>
  destroys(
    'delsnapshot',
    'deletes a snapshot',
    [`${program} delsnapshot 101 x`],
    [`${program} list`],
    {
      objects: snapshotNamed,
    },
  );

/** The word right behind the guest: behind an option it could be that one's value. */
function snapshotNamed(call: Call): readonly Value[] {
  const [name, ...more] = guestId(call).length === 0 ? [] : call.args.slice(1);
  if (name?.text === undefined || name.text.startsWith('-')) return [];
  return [name, ...more.filter((word) => !/^(-.*|[01])$/.test(word.text ?? ''))];
}

const deletesDisk = (program: string): Rule =>
  destroys(
    'set',
    'deletes a disk of the guest',
    [`${program} set 100 --delete unused0`, `${program} set 100 --delete mp0 --force 1`],
    [`${program} set 100 --delete description`, `${program} set 100 --delete mp0`],
    { if: (call) => disksDeleted(call).length > 0, objects: disksDeleted, confirmVerb: 'delete' },
  );

const pct: Program = {
  names: ['pct'],
  operands: 'read',
  abbreviates: true,
  launches: true,
  touches: guestOperand('lxc', new Set(['list', 'help', 'rescan', 'cpusets'])),
  rules: [
    looks('pct', 'list', 'lists containers', 0),
    ...(
      [
        ['status', 'shows whether a container runs'],
        ['config', 'shows the settings of a container'],
        ['listsnapshot', 'lists snapshots of a container'],
        ['pending', 'shows settings that wait for a restart'],
        ['df', 'shows how full a container is'],
      ] as const
    ).map(([verb, why]) => guestLooks('pct', verb, why)),
    looks('pct', 'cpusets', 'lists processors given to containers', 0),
    checked(
      'exec',
      'runs a command in a container',
      openGuest,
      ['pct exec 101 -- df -h'],
      ['pct exec 101', 'pct exec x -- ls'],
    ),
    addsSnapshot('pct', ['description'], 'pct snapshot 101 x --force 1'),
    low(
      'fstrim',
      'tells disks which blocks are free',
      /^\d+$/,
      ['pct fstrim 101'],
      ['pct fstrim 101 --x'],
    ),
    ...guestChanges('pct', COMMON_CHANGES),
    destroys('destroy', 'destroys the container', ['pct destroy 135 --purge 1'], ['pct list'], {
      objects: guestId,
    }),
    destroys(
      'rollback',
      'throws away everything since a snapshot',
      ['pct rollback 101 x'],
      ['pct list'],
      { objects: guestId },
    ),
    deletesSnapshot('pct'),
    deletesDisk('pct'),
    destroys(
      'restore',
      'overwrites a container',
      ['pct restore 101 x --force'],
      ['pct restore 101 x'],
      { if: forced, objects: guestId },
    ),
  ],
};

/** `qm guest cmd 100 ping`: only questions. */
function askAgent(call: Call): Match {
  const [id, question, ...more] = call.args;
  const asks = /^(ping|info|get-[a-z-]+|network-get-interfaces)$/.test(question?.text ?? '');
  return id?.words === 'one' && asks && more.length === 0
    ? { matches: true }
    : refuse('it is no plain question');
}

const qm: Program = {
  names: ['qm'],
  operands: 'read',
  abbreviates: true,
  launches: true,
  touches: (words) => {
    const nested =
      words[0]?.text === 'guest' || words[0]?.text === 'disk' || words[0]?.text === 'cloudinit';
    return guestOperand('vm', new Set(['list', 'help', 'rescan']))(nested ? words.slice(1) : words);
  },
  rules: [
    phrase(
      'list',
      'lists virtual machines',
      /^(--?full( [01])?)?$/,
      ['qm list', 'qm list --full'],
      ['qm list --frob'],
    ),
    ...(
      [
        ['status', 'shows whether a machine runs'],
        ['config', 'shows the settings of a machine'],
        ['listsnapshot', 'lists snapshots of a machine'],
        ['pending', 'shows settings that wait for a restart'],
        ['showcmd', 'shows how a machine is started'],
      ] as const
    ).map(([verb, why]) => guestLooks('qm', verb, why)),
    checked(
      'agent',
      'asks the agent in a machine',
      askAgent,
      ['qm agent 100 ping'],
      ['qm agent 100 shutdown'],
    ),
    checked(
      'guest cmd',
      'asks the agent in a machine',
      askAgent,
      ['qm guest cmd 100 ping'],
      ['qm guest cmd 100 suspend-disk'],
    ),
    checked(
      'guest exec',
      'runs a command in a machine',
      openGuest,
      ['qm guest exec 100 -- df -h'],
      ['qm guest exec 100'],
    ),
    addsSnapshot('qm', ['description', 'vmstate'], 'qm snapshot 100 x --skiplock 1'),
    ...guestChanges('qm', [...COMMON_CHANGES, ['reset', 'cuts the power and starts again']]),
    destroys('destroy', 'destroys the machine', ['qm destroy 100'], ['qm list'], {
      objects: guestId,
    }),
    destroys(
      'rollback',
      'throws away everything since a snapshot',
      ['qm rollback 100 x'],
      ['qm list'],
      { objects: guestId },
    ),
    deletesSnapshot('qm'),
    deletesDisk('qm'),
    destroys(
      'disk unlink',
      'deletes a disk of the machine',
      ['qm disk unlink 100 --idlist x'],
      ['qm list'],
      { objects: disksUnlinked },
    ),
    destroys('unlink', 'deletes a disk of the machine', ['qm unlink 100 --idlist x'], ['qm list'], {
      objects: disksUnlinked,
    }),
    destroys(
      'cloudinit dump',
      'prints password hashes',
      ['qm cloudinit dump 100 user'],
      ['qm list'],
      { flags: ['secret'], objects: guestId },
    ),
  ],
};

export const PROXMOX_GUESTS: readonly Program[] = [pct, qm];
