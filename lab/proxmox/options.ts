/** How the Proxmox command lines read their arguments (prefixes, one or two dashes, `--`). Pure. */

/** `flag` takes an optional boolean behind it (`--force`, `--force 0`); `value` needs one. */
export type OptionKinds = Readonly<Record<string, 'flag' | 'value'>>;

export interface ParsedArguments {
  readonly ok: true;
  readonly positionals: readonly string[];
  readonly options: Readonly<Record<string, string>>;
  /** What stood behind `--`; undefined when there was no `--`. */
  readonly rest: readonly string[] | undefined;
}

export interface ArgumentError {
  readonly ok: false;
  readonly code: number;
  /** The lines for stderr, without the usage line that the tool adds. */
  readonly message: string;
}

const TRUE_WORDS = ['1', 'on', 'yes', 'true', ''];
const FALSE_WORDS = ['0', 'off', 'no', 'false'];

/** The one name that `given` is a prefix of; an exact name wins over longer ones. */
export function expandPrefix(given: string, names: readonly string[]): string | undefined {
  if (names.includes(given)) return given;
  const matching = names.filter((name) => name.startsWith(given));
  return matching.length === 1 ? matching[0] : undefined;
}

/** Options may stand anywhere before `--`, with one or two dashes, as `--x v` or `--x=v`. */
export function parseArguments(
  args: readonly string[],
  kinds: OptionKinds,
): ParsedArguments | ArgumentError {
  const end = args.indexOf('--');
  const before = end < 0 ? args : args.slice(0, end);
  const rest = end < 0 ? undefined : args.slice(end + 1);
  const positionals: string[] = [];
  const options: Record<string, string> = {};
  for (let index = 0; index < before.length; index += 1) {
    const token = before[index] ?? '';
    if (!isOption(token)) {
      positionals.push(token);
      continue;
    }
    const read = readOption(token, before[index + 1], kinds);
    if (!read.ok) return read;
    options[read.name] = read.value;
    if (read.tookNext) index += 1;
  }
  return { ok: true, positionals, options, rest };
}

/** A boolean as Proxmox reads it; undefined when the word is no boolean. */
export function readBoolean(word: string): boolean | undefined {
  if (TRUE_WORDS.includes(word.toLowerCase())) return true;
  if (FALSE_WORDS.includes(word.toLowerCase())) return false;
  return undefined;
}

type OptionRead = { ok: true; name: string; value: string; tookNext: boolean } | ArgumentError;

function isOption(token: string): boolean {
  return token.startsWith('-') && token.length > 1;
}

function readOption(token: string, next: string | undefined, kinds: OptionKinds): OptionRead {
  const [given = '', inline] = splitAtEquals(token.replace(/^--?/, ''));
  const name = expandPrefix(given, Object.keys(kinds));
  if (name === undefined) return unparsable(`Unknown option: ${given}`);
  if (inline !== undefined) return { ok: true, name, value: inline, tookNext: false };
  const follows = next !== undefined && !isOption(next);
  if (kinds[name] === 'value' && !follows) {
    return unparsable(`Option ${name} requires an argument`);
  }
  return { ok: true, name, value: follows ? next : '1', tookNext: follows };
}

function splitAtEquals(text: string): [string, string?] {
  const at = text.indexOf('=');
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}

function unparsable(line: string): ArgumentError {
  return { ok: false, code: 255, message: `${line}\n400 unable to parse option` };
}
