const SEGMENTS = new Intl.Segmenter('en', { granularity: 'grapheme' });
const PICTURE = /\p{Extended_Pictographic}/u;
const TEXT_PICTURE = /^[\u2190-\u21ff\u2600-\u27bf\u2022\u25a0-\u25ff©®™]$/u;
/** East Asian scripts and full-width forms. */
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff60\uffe0-\uffe6]/u;

/** How many columns of a terminal the text takes. */
export function displayWidth(text: string): number {
  let width = 0;
  for (const { segment } of SEGMENTS.segment(text)) width += widthOf(segment);
  return width;
}

/** The text in lines of at most `columns`; broken between words, long words cut. */
export function wrap(text: string, columns: number): readonly string[] {
  return text.split('\n').flatMap((line) => wrapLine(line, Math.max(1, columns)));
}

function wrapLine(line: string, columns: number): readonly string[] {
  if (displayWidth(line) <= columns) return [line];
  const indent = /^ */.exec(line)?.[0].slice(0, Math.floor(columns / 2)) ?? '';
  const lines: string[] = [];
  let open = indent;
  for (const word of line
    .trimStart()
    .split(' ')
    .flatMap((long) => pieces(long, columns))) {
    const joined = open.trim() === '' ? `${open}${word}` : `${open} ${word}`;
    if (displayWidth(joined) <= columns || open.trim() === '') open = joined;
    else {
      lines.push(open);
      open = word;
    }
  }
  return [...lines, open];
}

/** A word in parts that each fit on a line. */
function pieces(word: string, columns: number): readonly string[] {
  if (displayWidth(word) <= columns) return [word];
  const parts: string[] = [];
  let part = '';
  for (const { segment } of SEGMENTS.segment(word)) {
    if (displayWidth(part + segment) > columns) {
      parts.push(part);
      part = '';
    }
    part += segment;
  }
  return [...parts, part];
}

function widthOf(segment: string): number {
  if (/^\p{Mark}/u.test(segment) || segment === '\u200b') return 0;
  if (TEXT_PICTURE.test(segment)) return 1;
  return PICTURE.test(segment) || WIDE.test(segment) ? 2 : 1;
}
