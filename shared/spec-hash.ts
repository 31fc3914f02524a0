import { createHash } from 'node:crypto';
import type { ContentFacts } from './domain/content.ts';
import type { Dialect } from './domain/dialect.ts';
import { type NamedGuest, specText } from './domain/spec.ts';
import type { Target } from './domain/target.ts';

/** sha256, hex, of what a yes is given to: target, dialect, command, the guests it names and its files. */
export function specHash(
  target: Target,
  dialect: Dialect,
  command: string,
  guests: readonly NamedGuest[] = [],
  facts: ContentFacts | null = null,
): string {
  return createHash('sha256')
    .update(specText(target, dialect, command, guests, facts))
    .digest('hex');
}
