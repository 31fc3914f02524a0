import type { GateGlob } from '../../domain/gate-result.ts';
import type { Context } from '../context.ts';
import { isWild } from '../globs.ts';
import { type Directory, START_DIRECTORIES } from '../places.ts';
import { escapePattern, type Value } from '../value.ts';
import { pathsFrom } from './places.ts';

/** The patterns to list for a word that the shell expands to names; undefined for any other word. */
export function globsOf(value: Value, context: Context): readonly GateGlob[] | undefined {
  const { pattern } = value;
  if (value.text !== undefined || value.words !== 'files' || pattern.includes('**'))
    return undefined;
  // The target's own shell expands it, whatever guest the command then enters.
  if (context.place !== undefined) return undefined;
  const patterns = pathsFrom(pattern, escaped(context.scope.directories));
  const [likeliest, ...others] = patterns ?? [];
  if (likeliest === undefined || !isNarrow(likeliest)) return undefined;
  if (!others.every((other) => isNarrow(other) || isTold(other))) return undefined;
  return [likeliest, ...others].map((path) => ({ pattern: path }));
}

function escaped(directories: readonly Directory[]): readonly Directory[] {
  if (directories === START_DIRECTORIES) return directories;
  return directories.map((path) => path && escapePattern(path));
}

/**
 * A count and a few names tell what is lost only where the pattern is of some folder's own files:
 * never for `/*`, `/srv/*`, or everything where the command happens to start.
 */
function isNarrow(pattern: string): boolean {
  if (!pattern.startsWith('/')) return isTold(pattern);
  const parts = pattern.split('/');
  const depth = parts.slice(0, parts.findIndex(isWild)).filter((part) => part !== '').length;
  return depth >= 2 || (depth === 1 && isTold(pattern));
}

/** The first wild part says something of the names that it means. */
function isTold(pattern: string): boolean {
  const wild = pattern.split('/').find(isWild) ?? '';
  return /[A-Za-z0-9]/.test(wild.replace(/\[[^\]]*\]/g, ''));
}
