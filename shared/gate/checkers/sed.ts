const REFUSED = 'the sed script holds a command that is not plain printing';

/**
 * Why a sed script may do more than print changed text, or undefined when it cannot: only
 * p d D P n N g G h H x = l z q Q s y and blocks, no file names, no s///e, no s///w.
 */
export function refuseSed(script: string): string | undefined {
  return new SedReader(script).refusal();
}

class SedReader {
  private readonly text: string;
  private at = 0;
  private depth = 0;

  constructor(text: string) {
    this.text = text;
  }

  refusal(): string | undefined {
    while (this.skip(/[\s;]+|#[^\n]*/y) || this.at < this.text.length) {
      if (this.at >= this.text.length) break;
      if (!this.addresses() || !this.command()) return REFUSED;
    }
    return this.depth === 0 ? undefined : REFUSED;
  }

  private skip(form: RegExp): boolean {
    form.lastIndex = this.at;
    const found = form.exec(this.text);
    if (found) this.at += found[0].length;
    return found !== null;
  }

  private addresses(): boolean {
    if (!this.address()) return false;
    this.skip(/[ \t]+/y);
    if (this.skip(/,[ \t]*/y)) {
      const before = this.at;
      if (!this.address() || this.at === before) return false;
    }
    this.skip(/[ \t]*(![ \t]*)?/y);
    return true;
  }

  /** One address or none. A pattern that does not end is a refusal. */
  private address(): boolean {
    if (this.skip(/\d+(~\d+)?|\$|[+~]\d+/y)) return true;
    if (this.text.charAt(this.at) !== '/') return this.text.charAt(this.at) !== '\\';
    this.at++;
    return this.section('/', true) && (this.skip(/[IM]*/y) || true);
  }

  private command(): boolean {
    const name = this.text.charAt(this.at++);
    if (name === '{') {
      this.depth++;
      return true;
    }
    if (name === '}') return --this.depth >= 0 && this.end();
    if (name === 's') return this.substitute();
    if (name === 'y') return this.sections(false) && this.end();
    if (name === 'q' || name === 'Q') return (this.skip(/[ \t]*\d*/y) || true) && this.end();
    return /^[pdDPnNgGhHx=lz]$/.test(name) && this.end();
  }

  private substitute(): boolean {
    return this.sections(true) && (this.skip(/[gpiIMm\d]*/y) || true) && this.end();
  }

  /** Two sections parted by a delimiter of the script's choice. */
  private sections(pattern: boolean): boolean {
    const delimiter = this.text.charAt(this.at++);
    if (delimiter === '' || /[\s\\\w[\]]/.test(delimiter)) return false;
    return this.section(delimiter, pattern) && this.section(delimiter, false);
  }

  /** Reads up to the delimiter. One inside a set is unclear between versions: refused. */
  private section(delimiter: string, pattern: boolean): boolean {
    let inSet = false;
    while (this.at < this.text.length) {
      const char = this.text.charAt(this.at++);
      if (char === '\\') this.at++;
      else if (char === delimiter) return !inSet;
      else if (char === '\n' && pattern) return false;
      else if (pattern && char === '[' && !inSet) {
        inSet = true;
        this.skip(/\^?\]?/y);
      } else if (char === ']') inSet = false;
    }
    return false;
  }

  private end(): boolean {
    this.skip(/[ \t]+/y);
    return this.at >= this.text.length || /[;\n}#]/.test(this.text.charAt(this.at));
  }
}
