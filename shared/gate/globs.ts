const MAX_PATTERN_LENGTH = 512;
const MAX_WILDCARDS = 8;

/**
 * Whether a pattern of `Value.pattern` can become `text`. A pattern too long or too wild to judge
 * answers true: the caller then assumes the worst.
 */
export function canMatch(pattern: string, text: string): boolean {
  if (pattern.length > MAX_PATTERN_LENGTH) return true;
  // Neighbouring wildcards say nothing more than one, and would take for ever to try.
  const simple = pattern.replace(/\*{2,}/g, '**');
  if ((simple.match(/\*+/g) ?? []).length > MAX_WILDCARDS) return true;
  const expression = compile(simple);
  return expression === undefined || expression.test(text);
}

function compile(pattern: string): RegExp | undefined {
  let source = '';
  for (let i = 0; i < pattern.length; ) {
    const [piece, used] = translate(pattern, i);
    source += piece;
    i += used;
  }
  try {
    return new RegExp(`^${source}$`);
  } catch {
    return undefined;
  }
}

/** The expression for the token at `at`, and how many characters it took. */
function translate(pattern: string, at: number): [string, number] {
  const char = pattern.charAt(at);
  if (char === '\\') return [quote(pattern.charAt(at + 1) || '\\'), 2];
  if (pattern.startsWith('**', at)) return ['.*', 2];
  if (char === '*') return ['[^/]*', 1];
  if (char === '?') return ['[^/]', 1];
  // A set may hold anything, also classes and ranges of other alphabets: any one character will do.
  const end = char === '[' ? pattern.indexOf(']', at + 2) : -1;
  if (end > 0) return ['[^/]', end - at + 1];
  return [quote(char), 1];
}

function quote(char: string): string {
  return char.replace(/[.+^${}()|/\\*?[\]-]/g, '\\$&');
}
