import { createHash } from 'node:crypto';
import type { Dialect } from './domain/dialect.ts';
import { type NamedGuest, specText } from './domain/spec.ts';
import type { Target } from './domain/target.ts';

/** sha256, hex, of what a yes is given to: target, dialect, command and the guests it names. */
export function specHash(
  target: Target,
  dialect: Dialect,
  command: string,
  guests: readonly NamedGuest[] = [],
): string {
  return createHash('sha256')
    .update(specText(target, dialect, command, guests))
    .digest('hex');
}
