import type { Context, Segment } from '../context.ts';
import type { Value } from '../value.ts';
import { show } from '../value.ts';
import { contentsOf, type Found } from './files.ts';
import { pathsFrom, whereOf } from './places.ts';

/** Names the files that a program executes or applies; where one cannot be told, says so. */
export function noteContents(
  name: string,
  args: readonly Value[],
  context: Context,
  segment: Segment,
): void {
  if (context.searching) return;
  const found = contentsOf(name, args, context.input);
  for (const each of found === 'unknown' ? [] : found) {
    if (!add(each, context)) unseen(each, context, segment);
  }
}

/** A program outside the system's own directories is a file like a script. */
export function noteProgram(head: Value, context: Context): void {
  if (!context.searching) add({ files: [head], use: 'runs it', need: 'one' }, context);
}

/** False when nobody can look at the file: its place or its name is not known. */
function add({ files, use, need }: Found, context: Context): boolean {
  const where = whereOf(context);
  const { directories } = context.scope;
  const places = files.map(({ text }) =>
    text === undefined ? undefined : pathsFrom(text, directories),
  );
  if (where === undefined || places.includes(undefined)) return false;
  const paths = places.flatMap((path) => path ?? []);
  context.report.addContent({ paths, use, need, ...where });
  return true;
}

function unseen({ files, use, need }: Found, context: Context, segment: Segment): void {
  // A file that need not be there and whose place is unknown says nothing new.
  if (need === 'any') return;
  const [file] = files;
  context.report.add({
    ...segment,
    rule: 'unseen file',
    why: `${use === 'runs it' ? 'runs' : 'applies'} ${file ? show(file) : 'a file'}, which cannot be looked at beforehand`,
    class: 'config_mutation',
    flags: ['opaque'],
  });
}
