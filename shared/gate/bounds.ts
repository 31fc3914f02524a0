/** Longer commands are never read_only. */
const MAX_PLAIN_LENGTH = 8 * 1024;
/** Longer commands are not parsed at all, only searched for destructive words. */
const MAX_LENGTH = 64 * 1024;
const MAX_OPENERS = 200;
const MAX_NESTING = 100;
/** The parser looks for the end of a bracket at each depth anew: depth times length is its work. */
const MAX_NESTED_LENGTH = MAX_NESTING * MAX_PLAIN_LENGTH;
const MAX_BRACES = 12;
const MAX_HEREDOCS = 20;

// Control characters but newline and tab; blanks other than ASCII ones; marks without width that
// make a text look different from what runs.
const ODD_CHARACTERS: readonly RegExp[] = [
  /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cn}\p{Cs}]/u,
  /(?! )\p{Zs}/u,
  /[\u115f\u1160\u17b4\u17b5\u3164\uffa0]/u,
  /\u034f|[\u180b-\u180f]|[\ufe00-\ufe0f]/u,
  /[\u{e0000}-\u{e0fff}]/u,
];

/** Why a text cannot be read_only whatever it says, and whether it can be parsed at all. */
interface BoundsCheck {
  readonly problems: readonly string[];
  readonly parseable: boolean;
}

/** Looks at the raw text before anything parses it. */
export function checkBounds(text: string): BoundsCheck {
  const problems: string[] = [];
  if (text.trim() === '') problems.push('the command is empty');
  if (text.length > MAX_PLAIN_LENGTH) problems.push('the command is longer than 8 KiB');
  const visible = text.replace(/[\n\t]/g, '');
  if (ODD_CHARACTERS.some((odd) => odd.test(visible))) {
    problems.push('the command holds control, invisible or unusual blank characters');
  }
  const depth = nesting(text);
  const nested =
    countMatches(text, /\$\(|[<>]\(|`|\$\{|\$\[/g) > MAX_OPENERS ||
    depth > MAX_NESTING ||
    depth * text.length > MAX_NESTED_LENGTH;
  if (nested) problems.push('the command nests too many expansions');
  const braces = countBraces(text);
  if (braces > MAX_BRACES) problems.push('the command holds too many brace expansions');
  const heredocs = countMatches(text, /<</g);
  if (heredocs > MAX_HEREDOCS) problems.push('the command holds too many here-documents');
  const parseable =
    text.length <= MAX_LENGTH &&
    !nested &&
    braces <= 10 * MAX_BRACES &&
    heredocs <= 10 * MAX_HEREDOCS;
  if (text.length > MAX_LENGTH) problems.push('the command is too long to be read');
  return { problems, parseable };
}

function countMatches(text: string, form: RegExp): number {
  return (text.match(form) ?? []).length;
}

function countBraces(text: string): number {
  const innermost = text.match(/\{[^{}\s]*\}/g) ?? [];
  return innermost.filter((brace) => /,|\.\./.test(brace)).length;
}

/** How deep brackets of any kind stand inside each other, quotes ignored. */
function nesting(text: string): number {
  let depth = 0;
  let deepest = 0;
  for (const char of text) {
    if (char === '(' || char === '{' || char === '[') deepest = Math.max(deepest, ++depth);
    else if ((char === ')' || char === '}' || char === ']') && depth > 0) depth--;
  }
  return deepest;
}
