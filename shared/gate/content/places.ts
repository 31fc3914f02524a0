import type { GateOperand } from '../../domain/gate-result.ts';
import type { Context } from '../context.ts';
import { candidates, type Directory, START_DIRECTORIES } from '../places.ts';

/**
 * The paths that a written one may mean, seen from these directories; undefined when one of them is
 * known to nobody. The directory that a command starts in has no name here: from it the path stays
 * as it is written.
 */
export function pathsFrom(
  written: string,
  directories: readonly Directory[],
): readonly string[] | undefined {
  if (written.startsWith('/')) return [written];
  if (directories.includes(undefined)) return undefined;
  // Nothing moved yet: the very list that every command begins with.
  if (directories === START_DIRECTORIES) return [written];
  const mayBeStart = START_DIRECTORIES.some((start) => directories.includes(start));
  return [...candidates(written, directories), ...(mayBeStart ? [written] : [])];
}

/** The guest part of a file's place; undefined where nobody can look. */
export function whereOf(context: Context): Pick<GateOperand, 'in'> | undefined {
  const { guest } = context;
  if (guest === null) return undefined;
  return guest === undefined ? {} : { in: guest };
}
