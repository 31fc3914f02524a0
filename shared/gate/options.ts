import { isNoOption, literal, show, unknownWord, type Value } from './value.ts';

/** The options a program is known to take, as getopt sees them. Names are exact: no abbreviations. */
export interface OptionSpec {
  /** Single letters without a value: `-lah`. */
  readonly short?: string;
  /** Single letters with a value: `-n 20`, `-n20`. */
  readonly shortValue?: string;
  /** Single letters with an optional attached value: `-b`, `-b1`. */
  readonly shortMaybe?: string;
  readonly long?: readonly string[];
  /** `--key=value` or `--key value`. */
  readonly longValue?: readonly string[];
  /** `--key` or `--key=value`. */
  readonly longMaybe?: readonly string[];
  /** Words with one dash are long options: `-output-format json`. */
  readonly oneDash?: boolean;
  /** `-20` is an option. */
  readonly numbers?: boolean;
  /** Options end at the first operand. */
  readonly stopAtOperand?: boolean;
  /** A word decided at run time may stand as an operand: no option it could be does harm. */
  readonly openOperands?: boolean;
  /** Whatever option the program has does no harm, so words decided at run time may stand anywhere. */
  readonly anyOption?: boolean;
}

export interface Parsed {
  readonly operands: readonly Value[];
  readonly seen: ReadonlyMap<string, readonly Value[]>;
}

type ParseOutcome = Parsed | { readonly because: string };

/** Reads arguments strictly: an option not in the spec is a refusal that names it. */
export function parseOptions(spec: OptionSpec, args: readonly Value[]): ParseOutcome {
  const reader = new OptionReader(spec, args);
  return reader.read();
}

/** The values an option was given, under any of its names. */
export function given(parsed: Parsed, ...names: readonly string[]): readonly Value[] {
  return names.flatMap((name) => parsed.seen.get(name) ?? []);
}

const PRESENT = literal('');

/** What is unknown may be empty: then `$x-c` is the option -c. */
function looksLikeOption(value: Value): boolean {
  return /^\**-/.test(value.pattern);
}

function attachedAfter(letters: string, at: number): Value | undefined {
  const rest = letters.slice(at + 1);
  return rest === '' ? undefined : literal(rest);
}

class OptionReader {
  private readonly spec: OptionSpec;
  private readonly args: readonly Value[];
  private readonly operands: Value[] = [];
  private readonly seen = new Map<string, Value[]>();
  private at = 0;

  constructor(spec: OptionSpec, args: readonly Value[]) {
    this.spec = spec;
    this.args = args;
  }

  read(): ParseOutcome {
    while (this.at < this.args.length) {
      const value = this.args[this.at++];
      if (value === undefined) break;
      if (value.text === '--') {
        this.takeRest();
        break;
      }
      const refusal = this.take(value);
      if (refusal !== undefined) return { because: refusal };
      if (this.spec.stopAtOperand && this.operands.length > 0) this.takeRest();
    }
    return { operands: this.operands, seen: this.seen };
  }

  private takeRest(): void {
    this.operands.push(...this.args.slice(this.at));
    this.at = this.args.length;
  }

  private take(value: Value): string | undefined {
    if (isNoOption(value)) {
      this.operands.push(value);
      return undefined;
    }
    if (value.text === undefined) {
      const attached = this.openValueOf(value);
      if (attached !== undefined) {
        return this.takeValue(attached, unknownWord(value.words));
      }
      const open = this.spec.openOperands && !looksLikeOption(value);
      if (!this.spec.anyOption && !open) return `${show(value)} could be an option`;
      this.operands.push(value);
      return undefined;
    }
    if (this.spec.numbers && /^-\d+$/.test(value.text)) return this.mark('number');
    if (value.text.startsWith('--')) return this.takeLong(value.text.slice(2));
    if (this.spec.oneDash) {
      const refusal = this.takeLong(value.text.slice(1));
      if (refusal === undefined || this.spec.short === undefined) return refusal;
    }
    return this.takeCluster(value.text.slice(1));
  }

  /** `--label=$x`: which option it is, is told; only its value is decided at run time. */
  private openValueOf(value: Value): string | undefined {
    const name = /^--?([\w-]+)=/.exec(value.prefix)?.[1];
    if (name === undefined || !(this.spec.oneDash || value.prefix.startsWith('--')))
      return undefined;
    return this.spec.longValue?.includes(name) ? name : undefined;
  }

  private takeLong(text: string): string | undefined {
    const equals = text.indexOf('=');
    const name = equals < 0 ? text : text.slice(0, equals);
    const attached = equals < 0 ? undefined : literal(text.slice(equals + 1));
    if (this.spec.longValue?.includes(name)) return this.takeValue(name, attached);
    if (this.spec.longMaybe?.includes(name)) return this.mark(name, attached);
    const known = this.spec.long?.includes(name) && attached === undefined;
    if (known || this.spec.anyOption) return this.mark(name, attached);
    return `the option ${this.spec.oneDash ? '-' : '--'}${name} is not known to be harmless`;
  }

  private takeCluster(letters: string): string | undefined {
    for (let i = 0; i < letters.length; i++) {
      const letter = letters.charAt(i);
      if (this.spec.shortValue?.includes(letter)) {
        return this.takeValue(letter, attachedAfter(letters, i));
      }
      if (this.spec.shortMaybe?.includes(letter)) {
        return this.mark(letter, attachedAfter(letters, i));
      }
      if (!this.spec.short?.includes(letter) && !this.spec.anyOption) {
        return `the option -${letter} is not known to be harmless`;
      }
      this.mark(letter);
    }
    return undefined;
  }

  private takeValue(name: string, attached: Value | undefined): string | undefined {
    const value = attached ?? this.args[this.at++];
    if (value === undefined) return `the option ${name} lacks its value`;
    if (value.words !== 'one') return `the value of ${name} may become several words`;
    return this.mark(name, value);
  }

  private mark(name: string, value: Value | undefined = PRESENT): undefined {
    const values = this.seen.get(name);
    if (values) values.push(value);
    else this.seen.set(name, [value]);
    return undefined;
  }
}
