const MAX_WORDS = 64;
const RANGE = /^\{(-?\d{1,6})\.\.(-?\d{1,6})(?:\.\.(-?\d{1,3}))?\}$/;
const LIST = /^\{((?:'[^']*'|[^{},\\"$`*?['])*(?:,(?:'[^']*'|[^{},\\"$`*?['])*)+)\}$/;

/**
 * The words a brace expression becomes, or undefined when it is too large or has anything in it
 * that is not plain text. Never expands more than 64 words.
 */
export function expandBraces(text: string): readonly string[] | undefined {
  const range = RANGE.exec(text);
  if (range) return expandRange(range[1] ?? '', range[2] ?? '', range[3]);
  const list = LIST.exec(text);
  if (!list) return undefined;
  const words = (list[1] ?? '').split(',').map((word) => word.replace(/'/g, ''));
  const commasQuoted = /'[^']*,[^']*'/.test(text);
  return commasQuoted || words.length > MAX_WORDS ? undefined : words;
}

function expandRange(from: string, to: string, by: string | undefined): string[] | undefined {
  if (/^-?0\d/.test(from) || /^-?0\d/.test(to)) return undefined;
  const first = Number(from);
  const last = Number(to);
  const step = Math.max(1, Math.abs(Number(by ?? 1)));
  if (Math.abs(last - first) / step >= MAX_WORDS) return undefined;
  const words: string[] = [];
  const direction = first <= last ? step : -step;
  for (let at = first; direction > 0 ? at <= last : at >= last; at += direction) {
    words.push(String(at));
  }
  return words;
}
