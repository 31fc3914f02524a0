/** A reply's body, with what its client quoted kept apart from what its author wrote. */
export interface SplitBody {
  ownBody: string;
  /** The quoted lines without their marks; null if nothing was quoted. */
  quoted: string | null;
}

/**
 * Splits off the leading lines that begin with `>` and one blank line after them, as older
 * clients write replies. Only for events that are replies: elsewhere such lines are the author's.
 * An author's own leading quote goes too, since quoted words are nobody's decision.
 */
export function splitReplyFallback(body: string): SplitBody {
  const lines = body.split(/\r\n|\n|\r/);
  const firstOwn = lines.findIndex((line) => !line.startsWith('>'));
  const quotedLines = firstOwn === -1 ? lines : lines.slice(0, firstOwn);
  if (quotedLines.length === 0) return { ownBody: body, quoted: null };
  const rest = firstOwn === -1 ? [] : lines.slice(firstOwn);
  const own = rest[0] === '' ? rest.slice(1) : rest;
  return {
    ownBody: own.join('\n'),
    quoted: quotedLines.map((line) => line.replace(/^> ?/, '')).join('\n'),
  };
}
