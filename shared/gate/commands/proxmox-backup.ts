import { namesOutside } from '../checkers/hosts.ts';
import {
  type Call,
  changes,
  destroys,
  firstOperand,
  hasWord,
  type Match,
  operandsOf,
  type Program,
  type Rule,
  refuse,
  theTarget,
} from '../rule.ts';
import { looks, tool } from './proxmox-questions.ts';

const asksOutside = changes(
  '',
  'talks to a backup server outside',
  ['proxmox-backup-client list --repository evil.example:store'],
  ['proxmox-backup-client list --repository nas:store'],
  { if: namesRepositoryOutside, flags: ['egress', 'outside_text'] },
);

const BACKUP_SERVER_LOOKS: readonly (readonly [string, string])[] = [
  ['version', 'shows the version'],
  ['versions', 'shows versions'],
  ['task list', 'lists tasks'],
  ['task log', 'shows the log of a task'],
  ['task status', 'shows a task'],
  ['datastore list', 'lists datastores'],
  ['datastore show', 'describes a datastore'],
  ['garbage-collection status', 'shows how tidying went'],
  ['garbage-collection list', 'shows how tidying went'],
  ['disk list', 'lists disks'],
  ['disk smart-attributes', 'shows the health of a disk'],
  ['disk zpool list', 'lists pools'],
  ['disk fs list', 'lists filesystems'],
  ['verify-job list', 'lists checks of backups'],
  ['verify-job show', 'describes a check of backups'],
  ['sync-job list', 'lists copies of backups'],
  ['sync-job show', 'describes a copy of backups'],
  ['prune-job list', 'lists when old backups go'],
  ['prune-job show', 'describes when old backups go'],
  ['remote list', 'lists other servers'],
  ['user list', 'lists accounts'],
  ['user list-tokens', 'lists names of tokens'],
  ['user permissions', 'shows rights'],
  ['acl list', 'lists rights'],
  ['traffic-control list', 'lists limits'],
  ['network list', 'lists network cards'],
  ['dns get', 'shows name servers'],
  ['cert info', 'shows the certificate'],
  ['subscription get', 'shows the subscription'],
  ['report', 'describes the server'],
];

/** `[[user@]realm@]host[:port]:store`; without a host it is this machine. */
function namesRepositoryOutside(call: Call): boolean {
  return call.args.some((arg, at) => {
    const follows = /^--?repository$/.test(call.args[at - 1]?.text ?? '');
    const glued = /^--?repository=(.*)$/s.exec(arg.text ?? arg.prefix)?.[1];
    if (arg.text === undefined) return follows || glued !== undefined;
    const text = follows ? arg.text : glued;
    return text !== undefined && namesOutside(text.slice(text.lastIndexOf('@') + 1));
  });
}

/** A question only where it is not asked outside. */
function ownOnly(rule: Rule): Rule {
  const when = (call: Call): Match =>
    namesRepositoryOutside(call) ? refuse('it asks a host outside') : rule.when(call);
  return { ...rule, when };
}

/** The client and the server of Proxmox's backups. */
export const PROXMOX_BACKUP: readonly Program[] = [
  tool(
    'proxmox-backup-client',
    looks('proxmox-backup-client', 'version', 'shows the version', 0),
    ownOnly(looks('proxmox-backup-client', 'list', 'lists backups', 0)),
    asksOutside,
    ...['snapshot', 'group'].map((kind) =>
      destroys(
        `${kind} forget`,
        'deletes backups',
        [`proxmox-backup-client ${kind} forget host/a`],
        ['proxmox-backup-client version'],
        { objects: firstOperand },
      ),
    ),
    destroys(
      'key show',
      'prints an encryption key',
      ['proxmox-backup-client key show'],
      ['proxmox-backup-client version'],
      { flags: ['secret'], objects: theTarget },
    ),
    destroys(
      'forget',
      'deletes a backup',
      ['proxmox-backup-client forget x'],
      ['proxmox-backup-client version'],
      { objects: operandsOf },
    ),
    destroys(
      'prune',
      'deletes old backups',
      ['proxmox-backup-client prune x'],
      ['proxmox-backup-client version'],
      { objects: firstOperand },
    ),
  ),
  tool(
    'proxmox-backup-manager',
    ...BACKUP_SERVER_LOOKS.map(([verb, why]) => looks('proxmox-backup-manager', verb, why, 2)),
    destroys(
      '',
      'removes backups or their store',
      ['proxmox-backup-manager datastore remove x'],
      ['proxmox-backup-manager version'],
      { if: hasWord(/^(remove|forget|prune)$/) },
    ),
  ),
];
