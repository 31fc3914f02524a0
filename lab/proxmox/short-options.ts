/** The GNU way to read options (`-xeu nginx`, `--unit=nginx`), for systemctl and journalctl. Pure. */

/** Long name by every spelling, and whether a value follows. */
export type GnuOptions = Readonly<
  Record<string, { readonly name: string; readonly value: boolean }>
>;

export type GnuArguments =
  | {
      readonly ok: true;
      readonly words: readonly string[];
      /** Each option may be given several times. */
      readonly options: ReadonlyMap<string, readonly string[]>;
    }
  | { readonly ok: false; readonly message: string };

export function readGnuArguments(args: readonly string[], known: GnuOptions): GnuArguments {
  const words: string[] = [];
  const options = new Map<string, string[]>();
  const queue = args.flatMap((arg) => splitArgument(arg, known));
  for (let index = 0; index < queue.length; index += 1) {
    const token = queue[index] ?? '';
    if (!token.startsWith('-') || token === '-') {
      words.push(token);
      continue;
    }
    const option = known[token];
    if (!option) return { ok: false, message: complaint(token) };
    const value = option.value ? queue[index + 1] : '';
    if (value === undefined)
      return { ok: false, message: `option '${token}' requires an argument` };
    if (option.value) index += 1;
    options.set(option.name, [...(options.get(option.name) ?? []), value]);
  }
  return { ok: true, words, options };
}

function complaint(token: string): string {
  return token.startsWith('--')
    ? `unrecognized option '${token}'`
    : `invalid option -- '${token.slice(1)}'`;
}

/** `--a=b` → `--a b`; `-xu nginx` → `-x -u nginx`; `-n20` → `-n 20`. */
function splitArgument(arg: string, known: GnuOptions): string[] {
  const [, name, value] = /^(--[^=]+)=(.*)$/s.exec(arg) ?? [];
  if (name !== undefined && value !== undefined) return [name, value];
  if (!/^-[A-Za-z]./.test(arg)) return [arg];
  const first = arg.slice(0, 2);
  const rest = arg.slice(2);
  if (known[first]?.value) return [first, rest];
  return [first, ...splitArgument(`-${rest}`, known)];
}
