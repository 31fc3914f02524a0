const FORBIDDEN =
  /^(system|getline|close|ENVIRON|PROCINFO|SYMTAB|FUNCTAB|ARGV|ARGC|extension|load_library)$/;
const KEYWORDS =
  /^(print|printf|return|in|if|while|for|else|do|case|default|switch|exit|next|nextfile|break|continue|delete|function|func|BEGIN|END|BEGINFILE|ENDFILE)$/;

type Last = 'value' | 'keyword' | 'control' | 'operator' | 'step';

/**
 * Why an awk program may do more than read its input and print, or undefined when it cannot.
 * Any doubt where a text or pattern ends is a refusal: what looks like text could be a program.
 */
export function refuseAwk(program: string): string | undefined {
  return new AwkReader(program).refusal();
}

class AwkReader {
  private readonly text: string;
  private at = 0;
  private last: Last = 'operator';
  /** One entry for each open bracket: whether it belongs to `if`, `while`, `for`. */
  private readonly brackets: boolean[] = [];
  /** Bracket depth of the print statement being read. */
  private printing: number | undefined;

  constructor(text: string) {
    this.text = text;
  }

  refusal(): string | undefined {
    while (this.at < this.text.length) {
      const refusal = this.token();
      if (refusal !== undefined) return refusal;
    }
    return undefined;
  }

  private take(form: RegExp): string | undefined {
    form.lastIndex = this.at;
    const found = form.exec(this.text)?.[0];
    if (found !== undefined) this.at += found.length;
    return found;
  }

  private token(): string | undefined {
    if (this.take(/[ \t]+|#[^\n]*|\\\n/y) !== undefined) return undefined;
    if (this.take(/"(?:\\[^\n]|[^"\\\n])*"/y) !== undefined) return this.seen('value');
    const word = this.take(/[A-Za-z_]\w*/y);
    if (word !== undefined) return this.word(word);
    if (this.take(/[\d.][\w.]*/y) !== undefined) return this.seen('value');
    if (this.text.charAt(this.at) === '/') return this.slash();
    return this.operator();
  }

  private seen(last: Last): undefined {
    this.last = last;
    return undefined;
  }

  private word(word: string): string | undefined {
    if (FORBIDDEN.test(word)) return `the awk program uses ${word}`;
    if (word === 'print' || word === 'printf') this.printing = this.brackets.length;
    if (/^(if|while|for|switch)$/.test(word)) return this.seen('control');
    return this.seen(KEYWORDS.test(word) ? 'keyword' : 'value');
  }

  /** A division after a value, else the start of a pattern. */
  private slash(): string | undefined {
    if (this.last === 'value') {
      this.at++;
      return this.seen('operator');
    }
    if (this.last === 'step' || this.last === 'control')
      return 'the awk program has an unclear slash';
    // A slash inside a set ends the pattern in some awks and not in others.
    const pattern = this.take(/\/(?:\\[^\n]|\[\^?\]?(?:\\[^\n]|[^\]\\\n/])*\]|[^/\\\n[])*\//y);
    return pattern === undefined ? 'the awk program has an unclear pattern' : this.seen('value');
  }

  private operator(): string | undefined {
    const sign = this.take(/\|\||&&|\+\+|--|>=|[-+*%^!<>=&?:,~(){}[\];\n$|]/y);
    if (sign === undefined) return 'the awk program holds an unusual character';
    if (sign === '|' || sign === '&') return 'the awk program pipes to a command';
    if (/^[([]$/.test(sign)) return this.open();
    if (/^[)\]]$/.test(sign)) return this.close();
    if (sign === '>' || sign === '>=') {
      const writes = this.printing === this.brackets.length;
      return writes ? 'the awk program writes a file' : this.seen('operator');
    }
    this.endStatement(sign);
    return this.seen(sign === '++' || sign === '--' ? 'step' : 'operator');
  }

  private endStatement(sign: string): void {
    // A line break after a comma or an operator goes on with the same statement.
    const ends = /^[{};]$/.test(sign) || (sign === '\n' && this.last === 'value');
    if (ends) this.printing = undefined;
  }

  private open(): undefined {
    this.brackets.push(this.last === 'control');
    return this.seen('operator');
  }

  private close(): string | undefined {
    const control = this.brackets.pop();
    if (control === undefined) return 'the awk program has unbalanced brackets';
    return this.seen(control ? 'control' : 'value');
  }
}
