import { guestTree } from '../guest-trees.ts';
import { given, type OptionSpec, type Parsed } from '../options.ts';
import { ANYWHERE, candidates, type Directory, normalise } from '../places.ts';
import {
  type Call,
  changes,
  destroys,
  hasWord,
  lineOf,
  low,
  type Match,
  matchUse,
  operandsOf,
  type Program,
  phrase,
  type Rule,
  reads,
  theTarget,
  type Use,
} from '../rule.ts';
import { canBeSecret } from '../secrets.ts';
import { literal, type Value } from '../value.ts';

/** `git show HEAD:.env` prints a file out of the history. */
function showsSecret(call: Call): boolean {
  return call.args.some((arg) => {
    const file = /^[\w./@^~-]*:(.+)$/.exec(arg.text ?? '')?.[1];
    return file !== undefined && canBeSecret(literal(`/x/${file}`), call.directories);
  });
}

// %G in a format runs gpg.
const formats = (parsed: Parsed): string | Match | undefined =>
  given(parsed, 'format', 'pretty').some((value) => /%G/.test(value.text ?? '%G'))
    ? 'its format runs another program'
    : undefined;

const LOG: Use = {
  short: 'pnmicsuqz',
  shortValue: 'nSGL',
  numbers: true,
  long: 'oneline graph all patch name-only name-status no-merges merges shortstat summary reverse follow no-decorate first-parent abbrev-commit no-color no-patch'.split(
    ' ',
  ),
  longMaybe: ['decorate', 'stat', 'color', 'date'],
  longValue: 'since until author grep max-count format pretty after before'.split(' '),
  check: formats,
};
const DIFF: Use = {
  short: 'pubwz',
  shortValue: 'U',
  numbers: true,
  long: 'name-only name-status cached staged shortstat summary numstat check no-color exit-code quiet'.split(
    ' ',
  ),
  longMaybe: ['word-diff', 'stat', 'color'],
  longValue: ['unified', 'diff-filter'],
};

const LOOKS: readonly (readonly [string, string, Use])[] = [
  [
    'status',
    'shows what changed in a repository',
    {
      short: 'sbvz',
      long: ['short', 'branch', 'long', 'verbose', 'show-stash'],
      longMaybe: ['porcelain', 'ignored'],
      shortMaybe: 'u',
    },
  ],
  ['log', 'shows the history', LOG],
  ['show', 'shows a commit', LOG],
  ['diff', 'shows what changed', DIFF],
  [
    'branch',
    'lists branches',
    {
      short: 'avr',
      long: ['list', 'all', 'show-current', 'remotes', 'verbose', 'merged', 'no-merged'],
      operands: 0,
    },
  ],
  ['remote', 'lists remotes', { short: 'v', long: ['verbose'], operands: 0 }],
  [
    'rev-parse',
    'names a commit',
    {
      long: ['show-toplevel', 'verify', 'is-inside-work-tree'],
      longMaybe: ['short', 'abbrev-ref'],
    },
  ],
  [
    'describe',
    'names a commit',
    {
      long: ['tags', 'always', 'long', 'all'],
      longMaybe: ['dirty'],
      longValue: ['abbrev', 'match'],
    },
  ],
  [
    'tag',
    'lists tags',
    { short: 'ln', long: ['list'], longValue: ['sort', 'contains'], operands: 0 },
  ],
  [
    'ls-files',
    'lists files of a repository',
    { short: 'comduz', long: 'cached others modified deleted exclude-standard stage'.split(' ') },
  ],
  ['blame', 'shows who wrote what', { short: 'lews', shortValue: 'L', longMaybe: ['date'] }],
  ['shortlog', 'sums up the history', { short: 'sne', long: ['all', 'numbered', 'summary'] }],
  [
    'rev-list',
    'lists commits',
    { short: 'n', long: ['count', 'all', 'no-merges'], longValue: ['max-count'] },
  ],
];

const OPEN_TO_ALL = /^\/(tmp|var\/tmp|dev\/shm)(\/|$)/;

/**
 * Whether others could have written the repository's settings, which can name programs that git runs
 * (core.fsmonitor by status and diff, textconv and diff.external by diff, log -p and show,
 * gpg.program by log): below world-writable folders everywhere, on a host below guests' trees too.
 * An unknown directory could be one of these.
 */
function isAnybodys(call: Call): boolean {
  const named = call.args.filter((_, i) => call.args[i - 1]?.text === '-C');
  const places = named.length === 0 ? call.directories : named.flatMap((arg) => reached(arg, call));
  return places.some(
    (place) =>
      place === undefined ||
      place.startsWith(ANYWHERE) ||
      OPEN_TO_ALL.test(place) ||
      guestTree(`${place}/x`, call.facts) !== undefined,
  );
}

function reached(arg: Value, call: Call): readonly Directory[] {
  if (arg.text !== undefined) return candidates(arg.text, call.directories);
  return [arg.prefix.startsWith('/') ? normalise(arg.prefix) : undefined];
}

const GLOBALS: OptionSpec = { long: ['no-pager', 'no-optional-locks'], shortValue: 'C' };

const DRY: Use = {
  short: 'ndxX',
  long: ['dry-run'],
  named: true,
  check: (parsed) =>
    given(parsed, 'n', 'dry-run').length > 0 ? undefined : 'it deletes without -n',
};

/** Takes out of the index only; with a source it also overwrites what was staged. */
const STAGED: Use = {
  short: 'Sq',
  long: ['staged', 'quiet'],
  check: (parsed) =>
    given(parsed, 'S', 'staged').length > 0 ? undefined : 'it changes the files without --staged',
};

/** What a forced push loses: the branch, or all branches of the remote. */
function pushed(call: Call): readonly Value[] {
  const [remote, ...refs] = operandsOf(call);
  const all = hasWord(/^--(mirror|prune|all|tags)$/)(call);
  if (all || remote === undefined) return remote === undefined || refs.length > 0 ? [] : [remote];
  return refs.map((ref) => (ref.text === undefined ? ref : literal(ref.text.replace(/^\+/, ''))));
}

/** A use of git that throws something away for good. */
function loses(
  verb: string,
  why: string,
  lost: RegExp,
  example: string,
  near: string,
  objects: (call: Call) => readonly Value[] = theTarget,
): Rule {
  return destroys(verb, why, [example], [near], {
    if: (call) => lost.test(lineOf(call)),
    objects,
  });
}

const afterVerb = (call: Call): readonly Value[] => operandsOf(call).slice(1);

const LOSSES: readonly Rule[] = [
  loses(
    'gc',
    'deletes what no branch reaches any more',
    /(^| )--p(r(u(ne?)?)?)?=(?!never( |$))/,
    'git gc --prune=now',
    'git gc',
  ),
  loses(
    'prune',
    'deletes what no branch reaches any more',
    /^(?!(-v )?(-n|--dry-run)( -v)?$)/,
    'git prune --no-progress',
    'git prune -n',
  ),
  loses(
    'reflog',
    'forgets where branches were',
    /^(expire|delete)\b/,
    'git reflog expire --expire=now --all',
    'git reflog show',
  ),
  loses(
    'worktree',
    'deletes a working copy with its changes',
    /^remove\b.* (-\w*f|--f)/,
    'git worktree remove --force x',
    'git worktree list',
    afterVerb,
  ),
  loses('filter-branch', 'rewrites the whole history', /^/, 'git filter-branch', 'git log'),
  loses('filter-repo', 'rewrites the whole history', /^/, 'git filter-repo', 'git log'),
  loses(
    'submodule',
    'throws away changes of a submodule',
    /^deinit\b.* (-\w*f|--f|--all)/,
    'git submodule deinit -f x',
    'git submodule status',
    afterVerb,
  ),
  loses(
    'update-ref',
    'deletes a branch or a tag',
    /(^| )(-\w*d\w*|--d\w*|--stdin)( |$)/,
    'git update-ref -d refs/heads/x',
    'git update-ref a b',
    operandsOf,
  ),
  loses(
    'switch',
    'throws away changes',
    /(^| )(-\w*[fC]|--f|--di)/,
    'git switch --discard-changes main',
    'git switch main',
  ),
  loses(
    'rm',
    'deletes files',
    /^(?!((-r|-q|-f) )*(--cached|-n|--dry-run)( (?!--no-)(?!-- )\S+)*( -- .*)?$)/,
    'git rm -r x',
    'git rm --cached x',
    operandsOf,
  ),
];

const git: Program = {
  names: ['git'],
  globals: GLOBALS,
  operands: 'read',
  rules: [
    ...LOOKS.map(
      ([verb, why, use]): Rule =>
        reads(
          verb,
          why,
          use,
          [`git ${verb}`, `git -C /opt/x ${verb}`],
          [`git -c a.b=c ${verb}`, `git ${verb} --output=x`],
        ),
    ),
    changes(
      '',
      'looks into a repository whose settings others could have written: they can name programs',
      ['git -C /tmp/x status'],
      ['git -C /opt/x status'],
      { if: isAnybodys },
    ),
    phrase('stash list', 'lists what was set aside', /^$/, ['git stash list'], ['git stash pop']),
    phrase(
      'worktree list',
      'lists working copies',
      /^$/,
      ['git worktree list'],
      ['git worktree add x'],
    ),
    phrase(
      'config',
      'shows a setting',
      /^(--global |--local )?(--get|--get-all) (remote|branch|user|init)\.[\w./][\w./-]*$/,
      ['git config --get remote.origin.url'],
      ['git config a.b c'],
    ),
    phrase('', 'shows the version', /^(version|--version)$/, ['git --version'], ['git init']),
    low(
      'fetch',
      'downloads new commits',
      /^((--all|--prune|origin)( |$))*$/,
      ['git fetch --all'],
      ['git fetch --upload-pack=x'],
    ),
    low(
      'remote update',
      'downloads new commits',
      /^$/,
      ['git remote update'],
      ['git remote update x'],
    ),
    destroys(
      'show',
      'prints a secret out of the history',
      ['git show HEAD:.env'],
      ['git show HEAD'],
      { if: showsSecret, flags: ['secret'] },
    ),
    destroys(
      'cat-file',
      'prints a secret out of the history',
      ['git cat-file -p HEAD:.env'],
      ['git cat-file -p HEAD'],
      { if: showsSecret, flags: ['secret'] },
    ),
    destroys('reset', 'throws away changes', ['git reset --hard'], ['git reset x'], {
      if: hasWord(/^--h/),
      objects: theTarget,
    }),
    destroys('clean', 'deletes untracked files', ['git clean -fdx'], ['git clean -n'], {
      if: (call) => !matchUse(DRY, call).matches,
      objects: theTarget,
    }),
    reads(
      'clean',
      'shows what is not under version control',
      DRY,
      ['git clean -nd'],
      ['git clean -fd'],
    ),
    destroys('push', 'overwrites a remote branch', ['git push --force'], ['git push'], {
      if: hasWord(/^(-[a-z46]*[fd][a-z46]*|--for.*|--de.*|--mi.*|--pru.*|\+.*|:.*)$/),
      objects: pushed,
    }),
    ...LOSSES,
    changes('rm', 'takes files out of version control', ['git rm --cached x'], ['git rm x'], {
      if: hasWord(/^--cached$/),
    }),
    changes('submodule', 'runs a command in each submodule', ['git submodule foreach ls'], [], {
      launches: true,
      if: hasWord(/^foreach$/),
    }),
    destroys(
      'stash drop',
      'throws away what was set aside',
      ['git stash drop'],
      ['git stash list'],
      { objects: theTarget },
    ),
    destroys(
      'stash clear',
      'throws away what was set aside',
      ['git stash clear'],
      ['git stash list'],
      { objects: theTarget },
    ),
    destroys('checkout', 'throws away changes', ['git checkout -- .'], ['git checkout main'], {
      if: hasWord(/^(--|-[a-zA-Z]*f[a-zA-Z]*|--for.*|\.)$/),
      objects: theTarget,
    }),
    destroys('restore', 'throws away changes', ['git restore .'], ['git restore --staged x'], {
      if: (call) => !matchUse(STAGED, call).matches,
      objects: theTarget,
    }),
    destroys('branch', 'deletes a branch', ['git branch -D x'], ['git branch -a'], {
      if: (call) =>
        hasWord(/^-\w*D/)(call) ||
        (hasWord(/^(-\w*d|--de)/)(call) && hasWord(/^(-\w*f|--fo)/)(call)),
      objects: (call) => call.args.filter((arg) => !arg.text?.startsWith('-')),
    }),
    changes('clone', 'downloads a repository', ['git clone https://x/y'], ['git status'], {
      flags: ['egress'],
    }),
    changes('pull', 'changes the files of a repository', ['git pull'], ['git status']),
  ],
};

export const GIT: readonly Program[] = [git];
