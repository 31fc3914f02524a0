import { createHash } from 'node:crypto';
import type { Dialect } from './domain/dialect.ts';
import { specText } from './domain/spec.ts';
import type { Target } from './domain/target.ts';

/** sha256, hex, of what a yes is given to: target, dialect and command. */
export function specHash(target: Target, dialect: Dialect, command: string): string {
  return createHash('sha256')
    .update(specText(target, dialect, command))
    .digest('hex');
}
