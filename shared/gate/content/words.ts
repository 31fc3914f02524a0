import type { Input } from '../rule.ts';
import type { Value } from '../value.ts';

/** The words that are no options; `valued` names the options that take the next word. */
export function operandsAfter(args: readonly Value[], valued: readonly string[]): readonly Value[] {
  const operands: Value[] = [];
  for (let at = 0; at < args.length; at++) {
    const arg = args[at];
    const text = arg?.text;
    if (text === '--') return [...operands, ...args.slice(at + 1)];
    if (text !== undefined && valued.includes(text)) at++;
    else if (arg !== undefined && (text === '-' || !/^[-+]/.test(text ?? arg.prefix))) {
      operands.push(arg);
    }
  }
  return operands;
}

/** What the options of these names were given: `-f x`, `-fx`, `--file x`, `--file=x`. */
export function valuesOf(args: readonly Value[], names: readonly string[]): readonly Value[] {
  return args.flatMap((arg, at) => {
    const { text } = arg;
    if (text === undefined) return [];
    if (names.includes(text)) return args[at + 1] ?? [];
    const name = names.find((known) =>
      known.startsWith('--') ? text.startsWith(`${known}=`) : text.startsWith(known),
    );
    if (name === undefined || (!name.startsWith('--') && text.startsWith('--'))) return [];
    const skipped = name.startsWith('--') ? name.length + 1 : name.length;
    return shortened(arg, skipped);
  });
}

function shortened({ text, ...rest }: Value, skipped: number): Value {
  const value = (text ?? '').slice(skipped);
  return { ...rest, text: value, pattern: value, prefix: value };
}

/** The files whose text comes in: `< file`, `cat file |`. */
export function fileInput(input: Input): readonly Value[] {
  if (input.kind === 'text') return input.file === undefined ? [] : [input.file];
  if (input.kind !== 'pipe' || input.from[0]?.text !== 'cat') return [];
  return operandsAfter(input.from.slice(1), []);
}
