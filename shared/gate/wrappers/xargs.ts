import { namesFound, printsFiles, secretsFound } from '../commands/find.ts';
import { given, type OptionSpec, type Parsed, parseOptions } from '../options.ts';
import { type Call, type Match, type Remark, refuse } from '../rule.ts';
import { escapePattern, unknownWord, type Value } from '../value.ts';

const OPTIONS: OptionSpec = {
  short: '0rtx',
  shortValue: 'nPLIdsa',
  long: ['null', 'no-run-if-empty', 'verbose', 'exit'],
  longValue: ['max-args', 'max-procs', 'max-lines', 'delimiter', 'max-chars'],
  stopAtOperand: true,
};

/** `xargs command`: the command gets words nobody has seen. */
export function openXargs(call: Call): Match {
  const parsed = parseOptions(OPTIONS, call.args);
  if ('because' in parsed) return refuse(parsed.because);
  if (given(parsed, 'a').length > 0) return refuse('it reads its words from a file');
  const [program] = parsed.operands;
  if (program === undefined) return { matches: true };
  const names = call.input.kind === 'pipe' ? namesFound(call.input.from) : undefined;
  const placeholders = given(parsed, 'I');
  // Of these options the last one given decides, whatever the others say.
  if (placeholders.length > 1 || (placeholders.length === 1 && counts(parsed).length > 0)) {
    return refuse('its options speak against each other');
  }
  const placeholder = placeholders[0]?.text;
  const argv =
    placeholder === undefined
      ? [...parsed.operands, seenWord(names, givesOne(parsed))]
      : parsed.operands.map((word) => replaced(word, placeholder, names));
  return {
    matches: true,
    reads: [],
    remarks: remarks(parsed.operands, call),
    opens: [{ kind: 'argv', argv }],
  };
}

const counts = (parsed: Parsed): readonly Value[] =>
  given(parsed, 'n', 'max-args', 'L', 'max-lines');

/** Each call gets one word; a line (-L) can hold any number of them. */
function givesOne(parsed: Parsed): boolean {
  const limits = counts(parsed);
  const byLine = given(parsed, 'L', 'max-lines').length > 0;
  return !byLine && limits.length > 0 && limits.every((count) => count.text === '1');
}

// Words from a list of files begin with a directory. Any other word could be anything.
function seenWord(names: readonly string[] | undefined, single: boolean): Value {
  if (names === undefined) return unknownWord(single ? 'one' : 'any');
  const name = names.length === 1 ? names[0] : undefined;
  return unknownWord('files', name === undefined ? '**' : `/found/${name}`, '/');
}

function replaced(word: Value, placeholder: string, names: readonly string[] | undefined): Value {
  if (word.text === undefined || placeholder === '' || !word.text.includes(placeholder))
    return word;
  const parts = word.text.split(placeholder);
  const name = names?.length === 1 && names[0] !== undefined ? `/found/${names[0]}` : '**';
  return unknownWord(
    'one',
    parts.map(escapePattern).join(name),
    parts[0] === '' && names !== undefined ? '/' : parts[0],
  );
}

/** What the program prints of the files it is given. */
function remarks(command: readonly Value[], call: Call): readonly Remark[] {
  if (!printsFiles(command)) return [];
  const from = call.input.kind === 'pipe' ? call.input.from : [];
  return secretsFound(from, call) ?? [CHOSEN_LATER];
}

const CHOSEN_LATER: Remark = {
  class: 'config_mutation',
  why: 'prints files chosen at run time',
};
