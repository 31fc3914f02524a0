/** What a screen would not show, or would obey. Spaces of every width are separators, not hidden. */
const HIDDEN =
  /\p{Cc}|\p{Cf}|\p{Cs}|\p{Co}|\p{Zl}|\p{Zp}|\p{VS}|\u034f|[\u115f\u1160\u3164\uffa0]/gu;

/** A listed emoji may carry U+FE0F: every client shows it so. */
const EMOJI_BEFORE = /\p{Emoji}$/u;

/**
 * Text from outside, safe to show: C0 and C1 controls (so ESC and OSC sequences), bidi controls,
 * zero-width and tag characters, private-use and lone surrogates become visible escapes like
 * `\u{202e}`. Newline and tab stay when `newlines` is true; a CRLF is one newline then.
 */
export function printable(text: string, options: { readonly newlines: boolean }): string {
  const source = options.newlines ? text.replaceAll('\r\n', '\n') : text;
  return source.replace(HIDDEN, (char, offset: number) => {
    if (options.newlines && (char === '\n' || char === '\t')) return char;
    if (char === '\ufe0f' && EMOJI_BEFORE.test(source.slice(Math.max(0, offset - 2), offset)))
      return char;
    return escapeCodePoint(char);
  });
}

/** `\u{202e}`: lower-case hexadecimal without leading zeros. */
export function escapeCodePoint(char: string): string {
  return `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`;
}
