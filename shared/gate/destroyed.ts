import { globsOf } from './content/globs.ts';
import { type Context, type Segment, spend } from './context.ts';
import { candidates, START_DIRECTORIES } from './places.ts';
import type { DestroyedObject } from './report.ts';
import { type Call, type Rule, THE_TARGET } from './rule.ts';
import type { Value } from './value.ts';

/** These take files: a name that is not absolute is told by its whole path. */
const OF_FILES =
  /^(rm|rmdir|unlink|shred|truncate|cp|mv|tee|dd|install|sed|find|rsync|zstd|xz|gzip|bzip2|lz4|7z|zip|tar|bsdtar|chmod|chown|chgrp)$/;
/** These take the place they run on as a whole, however they are spelled. */
const OF_THE_WHOLE = /^(reboot|shutdown|poweroff|halt|init|telinit|systemctl)$/;
/** Words that never change which thing a name means. */
const MEANINGLESS = /^(-[fyrRqv]+|--(force|yes|assume-yes|recursive|quiet|verbose))$/;

/** Measured: the text of a call is looked through once for each thing that it destroys. */
const LETTERS_A_UNIT = 16;

/** What a destructive call destroys, for the typed sentence and the window that it opens. */
export function destroyedBy(
  name: string,
  rule: Rule,
  judged: { readonly call: Call; readonly args: readonly Value[] } | undefined,
  context: Context,
  segment: Segment,
): readonly DestroyedObject[] {
  const verb = rule.confirmVerb ?? rule.verb.at(-1) ?? name;
  const values = judged && rule.objects?.(judged.call);
  if (judged === undefined || values === undefined || values.length === 0) {
    return [{ verb, name: undefined }];
  }
  const words = [name, ...judged.args.map((arg) => arg.text ?? arg.pattern)];
  spend(context, Math.ceil((segment.text.length + judged.args.length) / LETTERS_A_UNIT));
  return different(values, (value) =>
    OF_FILES.test(name) ? fileNamed(value, context) : nameOf(value, context),
  ).map(([value, told]) => {
    // The `?` of an address is no pattern of files.
    const globs = /^\w+:\/\//.test(value.prefix) ? undefined : globsOf(value, context);
    const within = withinOf(value, words, told, context, segment);
    return { verb, ...told, ...(within && { within }), ...(globs && { globs }) };
  });
}

// Two already leave no sentence; each is compared with all the words of the call.
const ENOUGH = 2;

function different(
  values: readonly Value[],
  toldOf: (value: Value) => Named,
): readonly (readonly [Value, Named])[] {
  const told = values.map((value) => [value, toldOf(value)] as const);
  const byName = new Map(told.map((each) => [each[1].name ?? ` ${each[0].pattern}`, each]));
  return [...byName.values()].slice(0, ENOUGH);
}

type Named = Pick<DestroyedObject, 'name' | 'resolved'>;

/** Inside a guest or container the place itself is that one, not the target. */
function nameOf(value: Value, { place }: Context): Named {
  if (value === THE_TARGET) return { name: place === undefined ? value.text : place.text };
  return { name: value.text === THE_TARGET.text ? undefined : value.text };
}

/** A file by its whole path; nameless where the command could stand in several folders. */
export function fileNamed(value: Value, context: Context): Named {
  const { text } = value;
  const directories = context.scope.here ?? context.scope.directories;
  if (text === undefined || value === THE_TARGET || /^\/|:/.test(text)) {
    return nameOf(value, context);
  }
  if (isStart(directories)) return nameOf(value, context);
  const [only, ...more] = directories;
  if (only === undefined || more.length > 0) return { name: undefined };
  const [path] = candidates(text, directories);
  return { name: path, resolved: true };
}

function isStart(directories: Context['scope']['directories']): boolean {
  return directories.join(' ') === START_DIRECTORIES.join(' ');
}

/**
 * What else decides which thing the name means: the place, the kind, a host, a namespace, a folder.
 * Nothing for a file by its whole path.
 */
function withinOf(
  value: Value,
  words: readonly string[],
  { name }: Named,
  { place, scope, searching }: Context,
  segment: Segment,
): string | undefined {
  const telling = (all: readonly string[]): readonly string[] =>
    all.filter((word) => word !== value.text && !MEANINGLESS.test(word));
  const rest = telling(words);
  const [program = ''] = words;
  const plain =
    place === undefined &&
    !searching &&
    (value === THE_TARGET
      ? OF_THE_WHOLE.test(program)
      : rest.length === 1 && name?.startsWith('/'));
  if (plain) return undefined;
  // What starts the call counts as well: `docker -H x compose`, `sudo -u x`.
  const around = telling(segment.text.split(/\s+/));
  const from = name?.startsWith('/') || isStart(scope.directories) ? [] : scope.directories;
  return [place?.text ?? '', ...rest, ...around, ...from].join(' ');
}
