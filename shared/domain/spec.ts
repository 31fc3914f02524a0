import { type ContentFacts, factsText } from './content.ts';
import type { Dialect } from './dialect.ts';
import type { Target } from './target.ts';

/** A guest that a command on a host names, as the fleet had it when the command was proposed. */
export interface NamedGuest {
  /** `lxc/135`. */
  readonly key: string;
  readonly slug: string | null;
  readonly name: string | null;
}

/**
 * The exact text that is hashed for a card: what runs, where, in which shell, on which guests, with which
 * text in the files that it executes or applies. Two specs with one
 * text are the same request; any difference makes an earlier yes void.
 */
export function specText(
  target: Target,
  dialect: Dialect,
  command: string,
  guests: readonly NamedGuest[] = [],
  facts: ContentFacts | null = null,
): string {
  const place =
    target.kind === 'host'
      ? ['host', target.slug, target.name]
      : [target.kind, target.slug, target.name, target.host, `${target.vmid}`];
  const named = guests.map(({ key, slug, name }) => [key, slug, name]);
  const found = facts === null ? [] : [factsText(facts)];
  return JSON.stringify([...place, dialect, command, named, ...found]);
}
