import { namesOutside } from '../checkers/hosts.ts';
import {
  type Call,
  changes,
  destroys,
  firstOperand,
  hasWord,
  lineOf,
  low,
  operandsOf,
  type Program,
  phrase,
  reads,
  THE_TARGET,
  theTarget,
} from '../rule.ts';
import { guestsInApiPath } from '../touches.ts';
import { literal, unknownWord, type Value } from '../value.ts';
import { disksDeleted, forced, looks, OPTIONS, tool } from './proxmox-questions.ts';

const API_PATH = /^\/([\w/.:@][\w/.:@-]*)?$/;

const GUEST_STATUS =
  /^\/nodes\/[\w-]+\/(lxc|qemu)\/\d+\/status\/(start|stop|shutdown|reboot|suspend|resume|reset)\/?$/;

const NODE_STATUS = /^\/nodes\/[^/]+\/status\/?$/;
/** The command of the other deed; without either of them it could be any. */
const OTHER = { reboot: /(^|=)shutdown$/, shutdown: /(^|=)reboot$/ } as const;

/** What comes behind a part of the path; the node that is asked is the target itself. */
const named =
  (part: RegExp) =>
  (call: Call): readonly Value[] =>
    firstOperand(call).map((path) => {
      const name = part.exec(path.text ?? '')?.[1];
      if (name === undefined) return unknownWord('one');
      return name === 'localhost' ? THE_TARGET : literal(name);
    });
const nodesNamed = named(/^\/nodes\/([^/]+)\//);
const guestsNamed = named(/^\/nodes\/[^/]+\/(?:lxc|qemu)\/(\d+)\//);

const pvesh: Program = {
  names: ['pvesh'],
  operands: 'named',
  abbreviates: true,
  touches: guestsInApiPath,
  rules: [
    reads(
      'get',
      'reads from the API',
      {
        ...OPTIONS,
        anyOption: false,
        check: (parsed) => {
          const [path] = parsed.operands;
          const known =
            path?.text === undefined
              ? path?.words === 'one' && path.prefix.startsWith('/nodes/')
              : API_PATH.test(path.text);
          const odd =
            /(vncwebsocket|termproxy|vncproxy|spiceproxy|execute|agent|\/file-read|\/dump|access\/(tfa|ticket))/.test(
              path?.text ?? '',
            );
          return parsed.operands.length === 1 && known && !odd
            ? undefined
            : 'the path is not known to be harmless';
        },
      },
      ['pvesh get /cluster/resources --type vm'],
      ['pvesh get /nodes/pve/qemu/100/agent/file-read', 'pvesh get x'],
    ),
    reads(
      'ls',
      'lists the API',
      { ...OPTIONS, operands: API_PATH },
      ['pvesh ls /nodes'],
      ['pvesh ls x'],
    ),
    reads(
      'usage',
      'describes the API',
      { ...OPTIONS, operands: API_PATH },
      ['pvesh usage /nodes'],
      ['pvesh usage x'],
    ),
    low(
      'create',
      'adds a snapshot',
      /^\/nodes\/[\w-]+\/(lxc|qemu)\/\d+\/snapshot --?snapname[ =][\w][\w-]*$/,
      ['pvesh create /nodes/pve/lxc/101/snapshot --snapname before'],
      ['pvesh create /nodes/pve/lxc/101/snapshot/x/rollback'],
    ),
    destroys(
      'delete',
      'deletes through the API',
      ['pvesh delete /nodes/pve/lxc/135'],
      ['pvesh ls /nodes'],
      { objects: firstOperand },
    ),
    changes(
      'create',
      'starts, stops or restarts a guest',
      ['pvesh create /nodes/pve/lxc/101/status/reboot'],
      ['pvesh create /nodes/pve/status'],
      { if: hasWord(GUEST_STATUS) },
    ),
    ...(['reboot', 'shutdown'] as const).map((verb) =>
      destroys(
        'create',
        'takes a host down',
        [`pvesh create /nodes/pve/status -command ${verb}`],
        ['pvesh create /nodes/pve/lxc/101/status/start'],
        {
          if: (call) => hasWord(NODE_STATUS)(call) && !hasWord(OTHER[verb])(call),
          objects: nodesNamed,
          confirmVerb: verb,
        },
      ),
    ),
    destroys(
      'create',
      'stops every guest of a host',
      ['pvesh create /nodes/pve/stopall'],
      ['pvesh create /nodes/pve/startall'],
      { if: hasWord(/\/stopall\/?$/), objects: nodesNamed, confirmVerb: 'stopall' },
    ),
    destroys(
      'create',
      'throws away everything since a snapshot',
      ['pvesh create /nodes/pve/lxc/101/snapshot/x/rollback'],
      ['pvesh create /nodes/pve/lxc/101/snapshot'],
      { if: hasWord(/\/rollback\/?$/), objects: guestsNamed, confirmVerb: 'rollback' },
    ),
    ...['set', 'create'].map((verb) =>
      destroys(
        verb,
        'deletes a disk of the guest',
        [`pvesh ${verb} /nodes/pve/qemu/100/config --delete unused0`],
        [`pvesh ${verb} /nodes/pve/qemu/100/config --memory 1`],
        {
          if: (call) => disksDeleted(call).length > 0,
          objects: disksDeleted,
          confirmVerb: 'delete',
        },
      ),
    ),
  ],
};

const ACCOUNTS = ['user', 'acl', 'role', 'group', 'realm', 'pool'] as const;

const pveum: Program = {
  names: ['pveum'],
  operands: 'named',
  abbreviates: true,
  rules: [
    ...ACCOUNTS.map((kind) => looks('pveum', `${kind} list`, 'lists accounts and rights')),
    looks('pveum', 'user token list', 'lists tokens of a user'),
    looks('pveum', 'user permissions', 'shows the rights of a user'),
    ...ACCOUNTS.map((kind) =>
      destroys(
        `${kind} delete`,
        'deletes an account or right',
        [`pveum ${kind} delete x`],
        ['pveum user list'],
        { objects: firstOperand, flags: ['access'] },
      ),
    ),
    ...['userdel', 'groupdel', 'roledel', 'acldel'].map((verb) =>
      destroys(verb, 'deletes an account or right', [`pveum ${verb} x`], ['pveum user list'], {
        objects: firstOperand,
        flags: ['access'],
      }),
    ),
    destroys(
      '',
      'deletes an account or right',
      ['pveum user token delete x y'],
      ['pveum user list'],
      { if: hasWord(/^(delete|remove)$/), flags: ['access'] },
    ),
    changes('', 'changes who may do what', ['pveum passwd x'], ['pveum user list'], {
      flags: ['access'],
      if: (call) => !hasWord(/^(list|permissions|delete|remove)$/)(call),
    }),
  ],
};

const outside = (call: Call): boolean => call.args.some((arg) => namesOutside(arg.text ?? ''));

const pvesm: Program = {
  names: ['pvesm'],
  operands: 'named',
  abbreviates: true,
  rules: [
    looks('pvesm', 'status', 'shows storages'),
    looks('pvesm', 'list', 'lists what a storage holds'),
    looks('pvesm', 'path', 'shows where a volume lies'),
    reads(
      'scan',
      'looks for storages',
      {
        ...OPTIONS,
        operands: 2,
        check: (_p, call) => (outside(call) ? 'it asks a host outside' : undefined),
      },
      ['pvesm scan nfs nas'],
      ['pvesm scan cifs evil.example'],
    ),
    changes(
      'scan',
      'asks a host outside',
      ['pvesm scan cifs evil.example'],
      ['pvesm scan nfs nas'],
      {
        if: outside,
        flags: ['egress', 'outside_text'],
      },
    ),
    destroys('free', 'deletes a volume', ['pvesm free local:x'], ['pvesm status'], {
      objects: operandsOf,
    }),
    destroys('remove', 'removes a storage', ['pvesm remove nas'], ['pvesm status'], {
      objects: operandsOf,
    }),
    destroys('prune-backups', 'deletes backups', ['pvesm prune-backups local'], ['pvesm status'], {
      objects: firstOperand,
    }),
  ],
};

/** Whether a backup run deletes backups made before it. */
function dropsOlder(call: Call): boolean {
  return /(^| )--?(remove[= ](?!0( |$))|prune-backups(?![= ]keep-all=1( |$)))/.test(lineOf(call));
}

const haTouches: Program['touches'] = (words) =>
  words.flatMap((word) => {
    const guest = /^(vm|ct):(\d+)$/.exec(word.text ?? '');
    return guest ? [`${guest[1] === 'ct' ? 'lxc' : 'vm'}/${guest[2]}`] : [];
  });

/** Proxmox VE. */
export const PROXMOX: readonly Program[] = [
  pvesh,
  pveum,
  pvesm,
  tool(
    'pveversion',
    phrase('', 'shows versions', /^(-v|--verbose)?$/, ['pveversion -v'], ['pveversion -x']),
  ),
  tool(
    'pvecm',
    looks('pvecm', 'status', 'shows the cluster', 0),
    looks('pvecm', 'nodes', 'lists nodes', 0),
    destroys('delnode', 'removes a node', ['pvecm delnode pve3'], ['pvecm status'], {
      objects: firstOperand,
    }),
  ),
  tool(
    'pvenode',
    looks('pvenode', 'task list', 'lists tasks', 0),
    looks('pvenode', 'task log', 'shows the log of a task', 1),
    looks('pvenode', 'task status', 'shows a task', 1),
    looks('pvenode', 'config get', 'shows the settings of the node', 0),
    looks('pvenode', 'cert info', 'shows certificates', 0),
    looks('pvenode', 'acme plugin list', 'lists ways to prove a name', 0),
    destroys('stopall', 'stops every guest', ['pvenode stopall'], ['pvenode task list'], {
      objects: theTarget,
    }),
  ),
  tool(
    'pveam',
    looks('pveam', 'available', 'lists templates', 0),
    looks('pveam', 'list', 'lists templates on a storage', 1),
    destroys(
      'remove',
      'deletes a template',
      ['pveam remove local:vztmpl/x'],
      ['pveam list local'],
      {
        objects: firstOperand,
      },
    ),
    low('update', 'refreshes the list of templates', /^$/, ['pveam update'], ['pveam update x']),
    low(
      'download',
      'downloads a template',
      /^[\w][\w-]* [\w.+][\w.+-]*$/,
      ['pveam download local x.tar.zst'],
      ['pveam download local'],
    ),
  ),
  {
    ...tool(
      'ha-manager',
      looks('ha-manager', 'status', 'shows high availability', 0),
      looks('ha-manager', 'config', 'shows high availability settings', 0),
      looks('ha-manager', 'groupconfig', 'shows high availability groups', 0),
    ),
    touches: haTouches,
  },
  tool(
    'pvesr',
    looks('pvesr', 'list', 'lists replication jobs'),
    looks('pvesr', 'status', 'shows replication'),
    looks('pvesr', 'read', 'shows a replication job'),
    destroys('delete', 'deletes replicated data', ['pvesr delete 101-0'], ['pvesr list'], {
      objects: firstOperand,
    }),
  ),
  tool(
    'pve-firewall',
    looks('pve-firewall', 'status', 'shows the firewall', 0),
    looks('pve-firewall', 'localnet', 'shows the local network', 0),
    looks('pve-firewall', 'compile', 'shows the firewall rules', 0),
  ),
  tool('pvesubscription', looks('pvesubscription', 'get', 'shows the subscription', 0)),
  tool(
    'proxmox-boot-tool',
    looks('proxmox-boot-tool', 'status', 'shows boot disks', 0),
    looks('proxmox-boot-tool', 'kernel list', 'lists kernels', 0),
  ),
  tool(
    'pveceph',
    looks('pveceph', 'status', 'shows the storage cluster', 0),
    looks('pveceph', 'pool ls', 'lists pools', 0),
    looks('pveceph', 'pool get', 'shows a pool', 1),
    looks('pveceph', 'lspools', 'lists pools', 0),
    looks('pveceph', 'osd details', 'shows a disk of the cluster', 1),
    destroys('', 'destroys stored data', ['pveceph osd destroy 1'], ['pveceph status'], {
      if: hasWord(/^(purge|destroy|d\w+)$/),
    }),
  ),
  tool(
    'corosync-quorumtool',
    phrase(
      '',
      'shows the quorum',
      /^(-s|-l|-sl)?$/,
      ['corosync-quorumtool -s'],
      ['corosync-quorumtool -e 1'],
    ),
  ),
  tool(
    'corosync-cfgtool',
    phrase('', 'shows cluster links', /^-[sn]$/, ['corosync-cfgtool -s'], ['corosync-cfgtool -R']),
  ),
  {
    names: ['vzdump'],
    operands: 'read',
    launches: true,
    touches: () => 'unknown',
    rules: [
      changes('', 'makes backups', ['vzdump 101'], ['qm list']),
      destroys(
        '',
        'makes backups and deletes older ones',
        ['vzdump 101 --remove 1', 'vzdump 101 --prune-backups keep-last=1'],
        ['vzdump 101', 'vzdump 101 --remove 0'],
        { if: dropsOlder, objects: firstOperand, confirmVerb: 'prune' },
      ),
    ],
  },
  {
    names: ['qmrestore'],
    operands: 'named',
    touches: (words) => {
      const id = words.filter((word) => !word.text?.startsWith('-'))[1]?.text;
      return id === undefined ? 'unknown' : [`vm/${id}`];
    },
    rules: [
      destroys('', 'overwrites a machine', ['qmrestore x 100 --force'], ['qmrestore x 100'], {
        if: forced,
        objects: (call) => operandsOf(call).slice(1, 2),
        confirmVerb: 'restore',
      }),
      changes('', 'restores a machine', ['qmrestore x 100'], []),
    ],
  },
];
