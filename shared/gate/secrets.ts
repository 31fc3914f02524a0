import { canMatch, foldPattern, isWild, matcher, plain } from './globs.ts';
import { ANYWHERE, candidates, type Directory, MAX_PATH } from './places.ts';
import { SECRET_FILES } from './secret-files.ts';
import { SECRET_NAMES, SECRET_PATHS, USUAL_SECRETS } from './secret-files-known.ts';
import { isAddress, type Value } from './value.ts';

const baseOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

const APPS: readonly string[] = SECRET_FILES.map(({ example }) => example);
const SYSTEM: readonly string[] = SECRET_PATHS.flatMap(({ examples }) => examples);
const NAMES: readonly string[] = SECRET_NAMES.flatMap(({ examples }) => examples);

// What root keeps, any other user keeps the same way.
const HOMES = [...SYSTEM, ...APPS, ...NAMES.map((name) => `/root/${name}`)]
  .filter((path) => path.startsWith('/root/'))
  .map((path) => path.replace('/root/', '/home/u/'));

const IN_ROOT = NAMES.filter((name) => name.startsWith('.')).map((name) => `/root/${name}`);

/** Paths a pattern is tried against as a whole. */
const PATHS: readonly string[] = [...SYSTEM, ...USUAL_SECRETS, ...IN_ROOT, ...HOMES, ...APPS];
/** The same where a stretch nobody knows could be anything: only well-known files count. */
const WELL_KNOWN: readonly string[] = [
  ...SYSTEM,
  ...HOMES.filter((path) => /\.ssh/.test(path)),
  '/root/.bash_history',
];
const BASENAMES: readonly string[] = [...new Set([...NAMES, ...PATHS.map(baseOf)])];
/** How secret names end: `.key`, `_history`, `-credentials`. What comes before is anybody's choice. */
const ENDINGS: readonly string[] = [
  ...new Set(BASENAMES.flatMap((name) => name.match(/(?<=[^._-])[._-].+$/g) ?? [])),
];

/** Every folder on the way to a well-known secret. */
const FOLDERS: readonly string[] = [
  ...new Set(
    [...SYSTEM, ...HOMES].flatMap((path) =>
      path.split('/').flatMap((_, i, parts) => (i > 1 ? [parts.slice(0, i).join('/')] : [])),
    ),
  ),
];

// Reading one of these out cannot be undone: the room and the model provider keep what they saw.
const SYSTEM_FORMS = joined(SECRET_PATHS);
const NAME_FORMS = joined(SECRET_NAMES);
const APP_FORMS = joined(SECRET_FILES);

/** One expression for each set of flags: ten times as fast as trying the forms one by one. */
function joined(rows: readonly { readonly form: RegExp }[]): readonly RegExp[] {
  const flags = [...new Set(rows.map(({ form }) => form.flags))];
  return flags.map((flag) => {
    const forms = rows.flatMap(({ form }) => (form.flags === flag ? [`(?:${form.source})`] : []));
    return new RegExp(forms.join('|'), flag);
  });
}

function isSystemSecret(path: string): boolean {
  return SYSTEM_FORMS.some((form) => form.test(path));
}

function isSecretName(name: string): boolean {
  return NAME_FORMS.some((form) => form.test(name));
}

function isAppSecret(path: string): boolean {
  return APP_FORMS.some((form) => form.test(path));
}

/** Whether reading this path gives a secret away. The path is absolute and normalised. */
function isSecretPath(path: string): boolean {
  if (path.length > MAX_PATH) return true;
  const inside = path.replace(/^(\/proc\/[^/]+\/(task\/[^/]+\/)?(root|cwd)(?=\/))+/, '');
  const anywhere = inside.startsWith(ANYWHERE);
  const suffix = anywhere ? inside.slice(ANYWHERE.length) : inside;
  return (
    isSecretName(baseOf(suffix)) ||
    isSystemSecret(suffix) ||
    isAppSecret(suffix) ||
    (anywhere && WELL_KNOWN.some((known) => known.endsWith(suffix)))
  );
}

/** Whether a word can name a secret file, seen from these directories. */
export function canBeSecret(value: Value, directories: readonly Directory[]): boolean {
  if (value.text !== undefined) {
    return candidates(value.text, directories).some(isSecretPath);
  }
  if (isAddress(value)) return false;
  const { pattern } = value;
  if (/^\*\*+$/.test(pattern)) return false;
  const bases = pattern.startsWith('/') || pattern.startsWith('**') ? [''] : directories;
  return bases.some((base) => patternIsSecret(pattern, base));
}

function patternIsSecret(pattern: string, base: Directory): boolean {
  const full = foldPattern(
    base === undefined ? `**/${pattern}` : base === '' ? pattern : `${base}/${pattern}`,
  );
  if (full === undefined || full.length > MAX_PATH) return true;
  return withinGuest(full).some(
    (path) =>
      matchesSample(path) || lastPartIsSecret(path) || matchesTail(path) || folderIsSecret(path),
  );
}

/** The pattern, and what it is inside the guest whose files lie below that tree of the host. */
function withinGuest(pattern: string): readonly string[] {
  const inside = /^(?:\/var\/lib\/lxc\/[^/]+\/rootfs|\/.*\/subvol-[^/]+-disk-[^/]+)(\/.+)$/.exec(
    pattern,
  )?.[1];
  return inside === undefined ? [pattern] : [pattern, inside];
}

function matchesSample(pattern: string): boolean {
  const matches = matcher(withUsualNames(pattern));
  return (pattern.includes('**') ? WELL_KNOWN : PATHS).some(matches);
}

// Users and processes have many names; the samples have one of each.
function withUsualNames(pattern: string): string {
  return pattern
    .replace(/^\/home\/[^/]+\//, '/home/u/')
    .replace(/^\/proc\/[^/]+\//, '/proc/1/')
    .replace(/^\/proc\/1\/task\/[^/]+\//, '/proc/1/task/1/');
}

/** Whether a folder given by a pattern can be one whose files are secrets: `/run/secre?/db_pass`. */
function folderIsSecret(pattern: string): boolean {
  const parts = withUsualNames(pattern).split('/');
  return parts.some((part, i) => {
    if (!isWild(part) || isVague(part) || i === parts.length - 1) return false;
    const rest = parts.slice(i + 1).join('/');
    const matches = matcher(parts.slice(0, i + 1).join('/'));
    return FOLDERS.some((folder) => matches(folder) && lastPartIsSecret(`${folder}/${rest}`));
  });
}

/** A pattern without anything to go by: every file of a folder, or every file of one ending. */
function isBare(name: string): boolean {
  return !/[A-Za-z0-9]/.test(withoutSets(name).replace(/^\*+\.[^*?[]*$/, ''));
}

function withoutSets(name: string): string {
  return name.replace(/\[[^\]]*\]/g, '?');
}

/** Whether a name of the kind, in this directory, is a secret; wildcards in the directory are any. */
function lastPartIsSecret(pattern: string): boolean {
  const name = baseOf(pattern);
  const folder = concrete(pattern.slice(0, pattern.length - name.length));
  // The kernel's files have the names they have; nobody keeps secrets among them.
  if (/^\/sys\//.test(folder)) return false;
  if (/^\*\*$/.test(name)) return isSecretFolder(folder);
  if (isSecretPath(folder + concrete(name))) return true;
  if (!isWild(name)) return false;
  const matches = matcher(name);
  const bare = isBare(name) && !name.startsWith('.');
  return (
    BASENAMES.some((sample) => matches(sample) && countsAs(folder, sample, bare)) ||
    endsAsSecret(folder, name, matches)
  );
}

/** Whether a name of nobody's list can end like a secret's: `wg1.con?`, `nas-cred*`, `site.ke?`. */
function endsAsSecret(folder: string, name: string, matches: (text: string) => boolean): boolean {
  const at = Math.max(name.lastIndexOf('.'), name.lastIndexOf('_'), name.lastIndexOf('-'));
  const open = concrete(name.replace(/[*?]+$/, ''));
  const told = at > 0 && /[A-Za-z0-9]/.test(withoutSets(name.slice(at + 1)));
  return ENDINGS.some((ending) => {
    const instead = concrete(name.slice(0, Math.max(at, 0))) + ending;
    if (matches(instead) && countsAs(folder, instead, !told)) return true;
    const added = open + ending;
    return /^\.[a-z]+$/.test(ending) && matches(added) && isSystemSecret(folder + added);
  });
}

function isSecretFolder(folder: string): boolean {
  return isSystemSecret(`${folder}x`) || isAppSecret(`${folder}x`);
}

// Behind `*` or `*.conf` any folder could hold a secret name: then the folder must say so too.
function countsAs(folder: string, name: string, bare: boolean): boolean {
  if (!bare) return isSecretPath(folder + name);
  if (isSystemSecret(folder + name)) return true;
  return isAppSecret(folder + name) && !isAppSecret(`/x/${name}`);
}

/** A path the pattern can become, as plain as can be. */
function concrete(pattern: string): string {
  return plain(
    withoutSets(pattern).replace(/\\.|\*+|\?/gs, (token) => (token.startsWith('\\') ? token : 'x')),
  );
}

/** Whether the last two parts fit those of a sample, wherever the folder lies. */
function matchesTail(pattern: string): boolean {
  const tail = pattern.split('/').slice(-2);
  const [folder = '', name = ''] = tail;
  if (tail.length < 2 || !isWild(folder) || isVague(folder)) return false;
  if (isBare(name) && !folder.startsWith('.')) return false;
  const matches = matcher(`**/${folder}/${name}`);
  return PATHS.some(matches);
}

function isVague(part: string): boolean {
  return part.includes('**') || withoutSets(part).replace(/[*?]/g, '').length < 2;
}

/** Whether a word with a stretch nobody knows could be a secret that applications keep. */
export function mayBeUsualSecret(value: Value): boolean {
  const unknown = value.text === undefined && value.pattern.includes('**');
  return unknown && USUAL_SECRETS.some((secret) => canMatch(value.pattern, secret));
}

/** What reading everything below a directory gives away: surely a secret, perhaps one, or none. */
export function secretsBelow(path: string): 'surely' | 'perhaps' | 'none' {
  if (isSecretPath(path) || isSecretPath(`${path === '/' ? '' : path}/x`)) return 'surely';
  const tree = path === '/' ? '/' : `${path}/`;
  if (path.startsWith(ANYWHERE)) return 'perhaps';
  if (SYSTEM.some((secret) => secret.startsWith(tree))) return 'surely';
  if ([...USUAL_SECRETS, ...APPS].some((secret) => secret.startsWith(tree))) return 'perhaps';
  return /^\/(opt|srv|home|root|var\/lib|var\/backups|mnt|media)\b/.test(path) ? 'perhaps' : 'none';
}

/**
 * Whether files of this name (with wildcards) below a directory can be secrets. Behind a name that
 * says nothing, such as `*.conf`, only what is known to lie there counts.
 */
export function secretNamedBelow(path: string, name: string): boolean {
  if (!isBare(name)) return canBeSecretName(name);
  const tree = path === '/' ? '/' : `${path}/`;
  const matches = matcher(name);
  return [...SYSTEM, ...HOMES, ...USUAL_SECRETS].some(
    (secret) => secret.startsWith(tree) && matches(baseOf(secret)),
  );
}

/** The same for a tree given by a word, as far as its pattern tells. */
export function secretsBelowWord(
  value: Value,
  directories: readonly Directory[],
): 'surely' | 'perhaps' | 'none' {
  if (value.text === undefined && namesSecretFolder(value.pattern, directories)) return 'surely';
  const sure = value.text ?? (value.prefix.startsWith('/') ? value.prefix : '/');
  const answers = candidates(sure, directories).map(secretsBelow);
  return (
    answers.find((answer) => answer === 'surely') ?? answers.find((a) => a !== 'none') ?? 'none'
  );
}

/** Whether a pattern can become a folder of well-known secrets: `/root/.ss*`. */
function namesSecretFolder(pattern: string, directories: readonly Directory[]): boolean {
  const bases = pattern.startsWith('/') ? [''] : directories;
  return bases.some((base) => {
    const full = base === undefined ? undefined : foldPattern(`${base}/${pattern}`);
    if (full === undefined) return true;
    const matches = matcher(withUsualNames(full));
    // `*` leaves out names that begin with a dot.
    const hidden = baseOf(full).replace(/^\\/, '').startsWith('.');
    return FOLDERS.some((folder) => matches(folder) && (hidden || !baseOf(folder).startsWith('.')));
  });
}

/** Whether a file name (with wildcards) can be a secret's name, whatever its directory and case. */
export function canBeSecretName(pattern: string): boolean {
  const name = baseOf(pattern);
  if (!isWild(name)) return isSecretPath(`/x/${plain(name)}`);
  const matches = matcher(name.toLowerCase());
  const samples = isBare(name) ? [...SYSTEM, ...USUAL_SECRETS].map(baseOf) : BASENAMES;
  return samples.some((sample) => isSecretPath(`/x/${sample}`) && matches(sample.toLowerCase()));
}
