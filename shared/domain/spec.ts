import type { Dialect } from './dialect.ts';
import type { Target } from './target.ts';

/**
 * The exact text that is hashed for a card: what runs, where, in which shell. Two specs with one
 * text are the same request; any difference makes an earlier yes void.
 */
export function specText(target: Target, dialect: Dialect, command: string): string {
  const place =
    target.kind === 'host'
      ? ['host', target.slug, target.name]
      : [target.kind, target.slug, target.name, target.host, `${target.vmid}`];
  return JSON.stringify([...place, dialect, command]);
}
