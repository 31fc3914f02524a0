import type { GateFacts, SelfFacts } from './facts.ts';
import { canMatch } from './globs.ts';
import type { Value } from './value.ts';

// While nobody has said where Oikos lives, its own names count on every target.
export const USUAL_PATHS = ['/etc/oikos', '/opt/oikos', '/var/lib/oikos'] as const;
/** What an operator starts from who says which units and containers are Oikos's own. */
export const USUAL_UNITS = ['oikos', 'oikos-bot', 'oikos-daemon'] as const;
const OWN_WORD = /(?:^|[^a-z0-9])oikos/i;
/** Whatever the operator says: the command line that changes the gate, and its tables. */
const ALWAYS = /(?:^|\s)oikos(?:$|\s)|\b(?:gate_settings|audit_events)\b|(?:^|\/)cli\/main\.ts$/;
/** In a path a folder, file, unit or image of that very name; `/srv/oikos-notes` is somebody's. */
const OWN_PART = /^\.?oikos(?:$|[:@]|\.[a-z]{1,8}$|[\w@.-]*\.(?:service|timer|socket)$)/i;

/** Oikos's own folders on this target. */
function ownPaths(self: SelfFacts | undefined): readonly string[] {
  return self?.paths && self.paths.length > 0 ? self.paths : USUAL_PATHS;
}

/** Whether a word names Oikos itself: its folders, units, containers, images or addresses. */
export function namesSelf(value: Value, facts: GateFacts): boolean {
  const text = value.text ?? value.pattern;
  const { self } = facts;
  const byPath = ownPaths(self).some((own) => reaches(value, own));
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

function reaches(value: Value, own: string): boolean {
  if (value.text !== undefined) {
    return new RegExp(`(^|[=:\\s'"])${quote(own)}(?=$|[/\\s'":])`).test(value.text);
  }
  return value.prefix.startsWith('/') && canMatch(value.pattern, `${own}/x`);
}

function holdsWord(text: string, name: string): boolean {
  return new RegExp(`(^|[^\\w.-])${quote(name)}(?=$|[^\\w-])`, 'i').test(text);
}

function quote(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&');
}

/** Whether working through the whole tree below `path` reaches Oikos's own files. */
export function holdsSelf(path: string, facts: GateFacts): boolean {
  const tree = path === '/' ? '/' : `${path}/`;
  return ownPaths(facts.self).some((own) => `${own}/`.startsWith(tree));
}

/** Whether what is touched is the guest that Oikos lives in. */
export function touchesSelf(touches: readonly string[] | 'unknown', facts: GateFacts): boolean {
  const own = facts.self?.slugs ?? [];
  return touches !== 'unknown' && touches.some((slug) => own.includes(slug));
}
