import type { GateFacts, SelfFacts } from './facts.ts';
import { canMatch, foldPattern } from './globs.ts';
import { candidates, type Directory, START_DIRECTORIES } from './places.ts';
import { escapePattern, type Value } from './value.ts';

// While nobody has said where Oikos lives, its own names count on every target.
export const USUAL_PATHS = ['/etc/oikos', '/opt/oikos', '/var/lib/oikos'] as const;
/** What an operator starts from who says which units and containers are Oikos's own. */
export const USUAL_UNITS = ['oikos', 'oikos-bot', 'oikos-daemon'] as const;
const OWN_WORD = /(?:^|[^a-z0-9])oikos/i;
/** Whatever the operator says: the command line that changes the gate, and its tables. */
const ALWAYS =
  /(?:^|\s)oikos(?:$|\s)|\b(?:gate_settings|audit_events|standing_rules)\b|(?:^|\/)cli\/main\.ts$/;
/** In a path a folder, file, unit or image of that very name; `/srv/oikos-notes` is somebody's. */
const OWN_PART = /^\.?oikos(?:$|[:@]|\.[a-z]{1,8}$|[\w@.-]*\.(?:service|timer|socket)$)/i;

/** Oikos's own folders on this target. */
function ownPaths(self: SelfFacts | undefined): readonly string[] {
  return self?.paths && self.paths.length > 0 ? self.paths : USUAL_PATHS;
}

/** Whether a word names Oikos itself: its folders, units, containers, images or addresses. */
export function namesSelf(
  value: Value,
  facts: GateFacts,
  directories: readonly Directory[],
): boolean {
  const text = value.text ?? value.pattern;
  const { self } = facts;
  const byPath = reachesAny(value, ownPaths(self), directories);
  const byAddress = (self?.addresses ?? []).some((address) => holdsWord(text, address));
  return byPath || byAddress || ALWAYS.test(text) || namesUnit(text, self);
}

function namesUnit(text: string, self: SelfFacts | undefined): boolean {
  const units = self?.units ?? [];
  if (units.length === 0) return hasOwnName(text);
  return units.some((unit) => holdsWord(text, unit.replace(/\.service$/, '')));
}

function hasOwnName(text: string): boolean {
  if (!text.includes('/')) return OWN_WORD.test(text);
  return text
    .split(/[\s='"]+/)
    .some((word) =>
      word.includes('/')
        ? word.split('/').some((part) => OWN_PART.test(part))
        : OWN_WORD.test(word),
    );
}

/** Whether a word, or a path inside it, lies in one of these folders, seen from these directories. */
function reachesAny(
  value: Value,
  folders: readonly string[],
  directories: readonly Directory[],
): boolean {
  const { text, pattern } = value;
  if (text === undefined) return folders.some((own) => canReach(pattern, own, directories));
  // Each piece once: a long word can name the same one thousands of times.
  for (const piece of new Set(text.split(/[=:\s'",;()<>|&]+/))) {
    if (piece === '' || isFarFrom(piece, folders, directories)) continue;
    const places = candidates(piece, directories);
    if (places.some((at) => folders.some((own) => lies(at, own)))) return true;
  }
  return false;
}

/** A plain name that leads into none of the folders: nearly every word, told without building paths. */
function isFarFrom(
  name: string,
  folders: readonly string[],
  directories: readonly Directory[],
): boolean {
  if (name.includes('/') || name === '.' || name === '..') return false;
  return folders.every(
    (own) =>
      !own.endsWith(`/${name}`) &&
      directories.every((from) => from === undefined || !lies(from, own)),
  );
}

const lies = (path: string, own: string): boolean => `${path}/`.startsWith(`${own}/`);

/** The same for a pattern: its first parts can become the folder. */
function canReach(pattern: string, own: string, directories: readonly Directory[]): boolean {
  if (pattern.startsWith('**')) return false;
  const bases = pattern.startsWith('/') ? [''] : directories;
  return bases.some((base) => {
    if (base === undefined) return false;
    const full = foldPattern(`${base}/${pattern}`);
    if (full === undefined) return true;
    const depth = own.split('/').length;
    return canMatch(full.split('/').slice(0, depth).join('/'), own) || canMatch(full, `${own}/x`);
  });
}

function holdsWord(text: string, name: string): boolean {
  return new RegExp(`(^|[^\\w.-])${quote(name)}(?=$|[^\\w-])`, 'i').test(text);
}

function quote(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&');
}

/**
 * Whether working through the whole tree below what a word names reaches Oikos's own files. A
 * relative word tells nothing before the line has changed the directory.
 */
export function holdsSelf(
  value: Value,
  facts: GateFacts,
  directories: readonly Directory[],
): boolean {
  const whole = value.text === undefined ? value.pattern : escapePattern(value.text);
  const text = whole.replace(/^[\w-]+=/, '');
  const relative = !text.startsWith('/');
  if (text.startsWith('**') || (relative && directories === START_DIRECTORIES)) return false;
  const bases = relative ? directories : [''];
  const trees = bases.map((base) =>
    base === undefined ? undefined : foldPattern(`${base}/${text}`),
  );
  return ownPaths(facts.self).some((own) =>
    above(own).some((folder) => trees.some((tree) => tree !== undefined && canMatch(tree, folder))),
  );
}

/** A folder and all those it lies in. */
function above(path: string): readonly string[] {
  const parts = path.split('/').slice(1);
  return ['/', ...parts.map((_, i) => `/${parts.slice(0, i + 1).join('/')}`)];
}

/** Whether what is touched is the guest that Oikos lives in. */
export function touchesSelf(touches: readonly string[] | 'unknown', facts: GateFacts): boolean {
  const own = facts.self?.slugs ?? [];
  return touches !== 'unknown' && touches.some((slug) => own.includes(slug));
}
