/** How our own cards, lines and notes begin. A model's text that does the same is marked. */
const LINE_PATTERNS: readonly RegExp[] = [
  /^\W*#?\d+\W+(?:needs your yes|destroys|interrupts|shows a secret)\b/,
  /^\W*#\d+\W+(?:is )?(?:approved|denied|expired|cancelled|refused|lost|done|failed|runs)\b/,
  /^\W*#\d+\b.*\b(?:say yes|type)\b/,
  /^\W*(?:type(?: exactly)?\W+)?i confirm \S+ \S+\W*$/,
  /^\W*(?:one thing waits|\d+ things wait)\b/,
  /^\W*system(?: note| message)?\W*:/,
  /^\W*(?:approved|denied) by @/,
  /^\W*nomos says:/,
  /^\s*(?:👍|👎|🛑|🧨|✅|❌|▸|✓|✗)/u,
];
const ANYWHERE: readonly RegExp[] = [
  /#\d+\W+needs your yes\b/,
  /#\d+\W+(?:destroys|interrupts|shows a secret)\W+type\b/,
];

/** Whether text, as a screen would show it, looks like one of our cards (the rules of assent). */
export function imitatesCard(text: string): boolean {
  const plain = text.normalize('NFKC').toLowerCase();
  const lines = plain.split('\n').map((one) => one.replaceAll(/[*_~`\s]+/g, ' ').trim());
  const joined = lines.join(' ').replaceAll(/\s+/g, ' ');
  return (
    lines.some((one) => LINE_PATTERNS.some((pattern) => pattern.test(one))) ||
    ANYWHERE.some((pattern) => pattern.test(joined))
  );
}
