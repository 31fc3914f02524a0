import { changes, checked, destroys, type Program, reads } from '../rule.ts';
import type { Value } from '../value.ts';
import { openAttached } from '../wrappers/guests.ts';

function named(words: readonly Value[]): readonly string[] | 'unknown' {
  const at = words.findIndex((word) => word.text === '-n' || word.text === '--name');
  const value =
    at < 0
      ? words.find((word) => word.text === undefined || !word.text.startsWith('-'))
      : words[at + 1];
  if (value?.text === undefined) return 'unknown';
  return /^\d+$/.test(value.text) ? [`lxc/${value.text}`] : 'unknown';
}

const acts = (verb: string): Program => ({
  names: [`lxc-${verb}`],
  operands: 'named',
  touches: named,
  rules: [changes('', 'changes a container', [`lxc-${verb} -n 101`], ['lxc-ls'])],
});

const lists = {
  list: 'lists machines',
  dominfo: 'describes a machine',
  domstate: 'shows whether a machine runs',
  domblklist: 'lists disks of a machine',
  domstats: 'shows the load of machines',
  domblkstat: 'shows what a machine reads and writes',
  domblkinfo: 'shows the size of a disk',
  domifstat: 'shows what a network card moved',
  vcpuinfo: 'shows the processors of a machine',
  domiflist: 'lists network cards of a machine',
  'net-list': 'lists networks',
  'pool-list': 'lists pools',
  'vol-list': 'lists volumes',
  nodeinfo: 'describes the host',
  'net-dhcp-leases': 'lists addresses in a network',
  'net-info': 'describes a network',
  'pool-info': 'describes a pool',
  'snapshot-list': 'lists snapshots of a machine',
  domifaddr: 'lists addresses of a machine',
  dommemstat: 'shows memory of a machine',
  version: 'shows versions',
  uri: 'shows what it is connected to',
  dumpxml: 'shows the settings of a machine',
  'node-memory-stats': 'shows memory of the host',
} as const;

const VIRSH_CHANGES = [
  ['start', 'starts a machine'],
  ['shutdown', 'shuts a machine down'],
  ['reboot', 'restarts a machine'],
  ['reset', 'cuts the power and starts again'],
  ['destroy', 'cuts the power of a machine'],
  ['suspend', 'freezes a machine'],
  ['resume', 'wakes a machine'],
] as const;

/** Containers and machines without Proxmox's own tools. */
export const LXC: readonly Program[] = [
  {
    names: ['lxc-ls'],
    operands: 'named',
    rules: [
      reads(
        '',
        'lists containers',
        { short: 'f1', long: ['fancy', 'active', 'running', 'frozen', 'stopped'], operands: 0 },
        ['lxc-ls -f'],
        ['lxc-ls -P x'],
      ),
    ],
  },
  {
    names: ['lxc-info'],
    operands: 'named',
    touches: named,
    rules: [
      reads(
        '',
        'describes a container',
        { short: 'sipSHc', shortValue: 'n', longValue: ['name'], operands: 1 },
        ['lxc-info -n 101'],
        ['lxc-info -P x'],
      ),
    ],
  },
  {
    names: ['lxc-attach'],
    operands: 'named',
    launches: true,
    touches: named,
    rules: [
      checked(
        '',
        'runs a command in a container',
        openAttached,
        ['lxc-attach -n 101 -- ip route'],
        ['lxc-attach -n 101'],
      ),
    ],
  },
  ...['stop', 'start', 'freeze', 'unfreeze', 'cgroup'].map(acts),
  {
    names: ['lxc-destroy'],
    operands: 'named',
    touches: named,
    rules: [
      destroys('', 'destroys a container', ['lxc-destroy -n 101'], ['lxc-ls'], {
        confirmVerb: 'destroy',
        objects: (call) =>
          call.args.filter((arg, i) => call.args[i - 1]?.text === '-n' || arg.text === undefined),
      }),
    ],
  },
  {
    names: ['virsh'],
    operands: 'named',
    rules: [
      ...Object.entries(lists).map(([verb, why]) =>
        reads(
          verb,
          why,
          { long: ['all', 'details', 'inactive'], operands: 2 },
          [`virsh ${verb}`],
          [`virsh ${verb} --frob`],
        ),
      ),
      ...VIRSH_CHANGES.map(([verb, why]) =>
        changes(verb, why, [`virsh ${verb} x`], ['virsh list']),
      ),
      destroys('undefine', 'removes a machine', ['virsh undefine x'], ['virsh list'], {
        objects: (call) => call.args.slice(0, 1).filter((arg) => !/^-/.test(arg.text ?? '')),
      }),
      destroys('vol-delete', 'deletes a volume', ['virsh vol-delete x'], ['virsh list'], {
        objects: (call) => call.args.slice(0, 1).filter((arg) => !/^-/.test(arg.text ?? '')),
      }),
    ],
  },
];
