import type { RiskClass } from '../domain/risk.ts';
import { type Context, type Segment, spend } from './context.ts';
import { overwritten } from './overwritten.ts';
import { leavesOf, readsStackFile } from './recognisable.ts';
import { readsForeignText, respells } from './respelling.ts';
import { holdsSelf, namesSelf } from './self.ts';
import { touchedByPath } from './touches.ts';
import { traitsOf } from './traits.ts';
import { isNoOption, type Value } from './value.ts';

// What holds of a call beside the class its rule gives it.

/** What is printed in a form in which a secret would go by unrecognised. */
export function noteBareValues(
  name: string,
  args: readonly Value[],
  context: Context,
  segment: Segment,
): void {
  const why = unrecognisable(name, args, context);
  if (why === undefined) return;
  const safer = "name what you want to see: -f '{{.State.Status}}', -p ActiveState, grep WORD";
  context.report.add({ ...segment, rule: 'settings', why, class: 'config_mutation', safer });
}

function unrecognisable(
  name: string,
  args: readonly Value[],
  context: Context,
): string | undefined {
  const { input } = context;
  const reading = { input, directories: context.scope.directories };
  if (respells(name, args) && readsForeignText(args, reading)) {
    return 'respells what it prints, so that a secret in it would not be recognised';
  }
  const comes = (input.kind === 'pipe' && input.settings) || readsStackFile(name, args);
  return comes && leavesOf(name, args) === 'values'
    ? 'takes values out of settings that can be secrets, where their names no longer tell'
    : undefined;
}

/** What never ends, leaves the house or shows foreign text, whatever the call's class is. */
export function noteTraits(
  name: string,
  args: readonly Value[],
  context: Context,
  segment: Segment,
): void {
  const fed = context.input.kind !== 'inherited';
  for (const { flags, bounded } of traitsOf(name, args)) {
    if (bounded === undefined) context.report.addFlags(flags);
    // What reads from a pipe or a file ends with it.
    else if (!(fed && args.length === 0)) {
      const why = 'goes on until it is stopped, or waits for keys';
      const risk = 'read_only';
      context.report.add({ ...segment, rule: 'endless', why, class: risk, flags, safer: bounded });
    }
  }
}

/** Flags a call whose words name Oikos itself. */
export function noteMentions(args: readonly Value[], context: Context): void {
  const { directories } = context.scope;
  // A pattern that could become Oikos's own files counts where something is changed.
  const told = args.filter((arg) => arg.text !== undefined);
  if (told.some((arg) => namesSelf(arg, context.facts, directories))) {
    context.report.addFlags(['self']);
  }
}

// Programs that take a whole tree with them without being told to.
const WHOLE_TREES = /^(mv|umount)$/;

/** Flags that depend on what a changing command names: Oikos's own files, a guest's. */
export function noteChangedPlaces(
  name: string,
  risk: RiskClass,
  args: readonly Value[],
  context: Context,
): void {
  if (risk === 'read_only') return;
  if (args.some((arg) => namesSelf(arg, context.facts, context.scope.directories))) {
    context.report.addFlags(['self']);
  }
  const recursive =
    WHOLE_TREES.test(name) ||
    args.some((arg) => /^-\w*[rRa]\w*$|^--(recursive|archive)$/.test(arg.text ?? ''));
  for (const arg of args.filter(isNoOption)) {
    const text = arg.text ?? arg.prefix;
    if (recursive && holdsSelf(arg, context.facts, context.scope.directories)) {
      context.report.addFlags(['self']);
    }
    context.report.addTouches(touchedByPath(text));
  }
}

/** Telling what a call writes over. */
const WRITTEN_OVER = 2;

/** What a changing call writes over for good, whichever program it is. */
export function noteOverwritten(
  name: string,
  args: readonly Value[],
  context: Context,
  segment: Segment,
): void {
  spend(context, WRITTEN_OVER * args.length);
  const { directories } = context.scope;
  const lost = overwritten({ program: name, args, directories, input: context.input });
  if (lost.length === 0) return;
  context.report.add({
    ...segment,
    rule: name,
    why: 'empties or overwrites what nobody can bring back, or acts on the machine at once',
    class: 'destructive',
    flags: [],
    objects: lost.map(({ text }) => ({ verb: 'overwrite', name: text })),
  });
}
