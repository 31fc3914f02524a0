import {
  changes,
  destroys,
  hasWord,
  lineOf,
  operandsOf,
  type Program,
  phrase,
  type Rule,
  theTarget,
} from '../rule.ts';

// Repositories and snapshots by plain names; anything with an option beyond these is a question.
const WORDS = '( (?!-)[\\w./:@][\\w./:@-]*)*';
const FLAGS =
  '( (--json|--compact|--last( \\d+)?|--first \\d+|--latest \\d+|--format \\{\\w+\\}|-v|--short|--list|--all|--host \\w+|--tag \\w+|--no-lock|--mode [\\w-]+))*';

// A repository on this machine; one elsewhere would be reached over the network.
const REPOSITORY = '((-r|--repo) /[\\w./][\\w./-]* )?';

function looks(verbs: string, example: string, not: string): Rule {
  return phrase(
    '',
    'lists backups',
    new RegExp(`^${REPOSITORY}(${verbs})${FLAGS}${WORDS}${FLAGS}$`),
    [example],
    [not],
  );
}

function deletes(form: RegExp, example: string, not: string): Rule {
  return destroys('', 'deletes backups', [example], [not], {
    if: hasWord(form),
    objects: theTarget,
  });
}

/** A backup program: questions, deletions, everything else a change. */
function backs(
  name: string,
  looksVerbs: string,
  look: string,
  gone: RegExp,
  delet: string,
): Program {
  return {
    names: [name],
    operands: 'read',
    launches: true,
    rules: [
      looks(looksVerbs, look, delet),
      deletes(gone, delet, look),
      changes('', 'makes, restores or changes backups', [`${name} backup /srv`], [look], {
        if: (call) => !new RegExp(`^${REPOSITORY}(${looksVerbs})( |$)`).test(lineOf(call)),
      }),
    ],
  };
}

/** Backups outside Proxmox. Passwords of repositories come from files the caller does not name. */
export const BACKUPS: readonly Program[] = [
  backs(
    'restic',
    'snapshots|stats|version|list snapshots|key list',
    'restic snapshots --json',
    /^(forget|prune|--prune|rewrite|remove)$/,
    'restic forget --keep-last 1 --prune',
  ),
  backs(
    'borg',
    'list|info|version|--version',
    'borg list /srv/repo',
    /^(delete|prune|compact|recreate)$/,
    'borg delete /srv/repo',
  ),
  backs(
    'borgmatic',
    'list|info|--version|rlist|rinfo',
    'borgmatic list',
    /^(prune|compact|delete|rdelete|repo-delete)$/,
    'borgmatic prune',
  ),
  backs(
    'kopia',
    'snapshot list|repository status|policy list|policy show',
    'kopia snapshot list',
    /^(delete|expire|gc)$/,
    'kopia snapshot delete x',
  ),
  backs(
    'duplicity',
    'collection-status|--version',
    'duplicity collection-status file:///srv/x',
    /^(remove-\S+|cleanup)$/,
    'duplicity remove-older-than 1D file:///x',
  ),
  backs(
    'rustic',
    'snapshots|version',
    'rustic snapshots',
    /^(forget|prune|remove)$/,
    'rustic forget x',
  ),
  backs(
    'snapper',
    '(-c \\w+ )?(list|list-configs|status \\d+\\.\\.\\d+|get-config)',
    'snapper list',
    /^(delete|rollback|undochange|delete-config|cleanup)$/,
    'snapper delete 1',
  ),
  backs(
    'timeshift',
    '--list',
    'timeshift --list',
    /^--(delete|delete-all|restore)$/,
    'timeshift --delete-all',
  ),
  backs(
    'btrbk',
    'list( latest| snapshots| backups)?|stats|dryrun',
    'btrbk list',
    /^(prune|clean|run)$/,
    'btrbk prune',
  ),
  backs(
    'sanoid',
    '--monitor-(snapshots|health|capacity)|--version',
    'sanoid --monitor-health',
    /^--(prune-snapshots|force-prune|cron)$/,
    'sanoid --prune-snapshots',
  ),
  backs(
    'zrepl',
    'status --mode raw|version|configcheck',
    'zrepl version',
    /^(zfs-abstraction|release-\S+)$/,
    'zrepl zfs-abstraction release-all',
  ),
  backs(
    'autorestic',
    'check|info|--version',
    'autorestic info',
    /^forget$/,
    'autorestic forget -a',
  ),
  {
    names: ['rsnapshot'],
    operands: 'read',
    rules: [
      phrase(
        '',
        'checks or shows settings of backups',
        /^(configtest|du|-t \w+)$/,
        ['rsnapshot configtest'],
        ['rsnapshot daily'],
      ),
      changes('', 'makes backups and drops old ones', ['rsnapshot daily'], ['rsnapshot du'], {
        if: (call) => !/^(configtest|du|-t \w+)$/.test(lineOf(call)),
      }),
    ],
  },
  {
    names: ['syncoid'],
    operands: 'named',
    rules: [
      destroys(
        '',
        'overwrites a dataset or deletes its snapshots',
        ['syncoid --delete-target-snapshots a b'],
        ['syncoid a b'],
        {
          if: hasWord(/^--(force-delete|delete-target-snapshots)$/),
          objects: (call) => operandsOf(call).slice(-1),
          confirmVerb: 'overwrite',
        },
      ),
      changes('', 'copies a dataset', ['syncoid a b'], []),
    ],
  },
];
