import { isAccessWord } from './access/index.ts';
import { type Context, deeper, type Segment, spendText } from './context.ts';
import { isDestructiveWord } from './registry.ts';
import { type Finding, Report } from './report.ts';
import { newScope } from './scope.ts';
import { literal, type Value } from './value.ts';

const MAX_TRIES = 500;
const WORDS_LOOKED_AT = 12;

/**
 * The last line of defence, for text that cannot be followed: splits it into plain words and notes
 * a destructive command, or one that gives access, where the words form one. Notes nothing milder.
 */
export function scanForDestruction(text: string, context: Context, segment: Segment): void {
  spendText(context, 2 * text.length);
  const words = text.split(/[\s;|&()'"`${}<>,\\=]+/).filter((word) => word !== '');
  scanWords(words.map(literal), context, segment);
}

/** Judges the words from each destructive command word on; keeps only what is destructive. */
export function scanWords(words: readonly Value[], context: Context, segment: Segment): void {
  if (context.searching) return;
  const places = words.flatMap((word, index) =>
    word.text !== undefined && isWorthTrying(word.text) ? [index] : [],
  );
  for (const index of places.slice(0, MAX_TRIES)) {
    keepGrave(context, (muted) => {
      context.engine.argv(words.slice(index, index + WORDS_LOOKED_AT), muted, segment);
    });
  }
  if (places.length > MAX_TRIES) noteTooMany(context, segment);
}

// Behind thousands of harmless words a harmful one could hide.
function noteTooMany(context: Context, segment: Segment): void {
  context.report.add({
    ...segment,
    rule: 'bounds',
    why: 'it holds too many words that could be destructive commands to try them all',
    class: 'destructive',
    objects: [{ verb: 'run', name: undefined }],
  });
}

function isWorthTrying(word: string): boolean {
  return isDestructiveWord(word) || isAccessWord(word);
}

function isGrave(finding: Finding): boolean {
  return finding.class === 'destructive' || (finding.flags?.includes('access') ?? false);
}

/** Runs a judgement aside and copies over what it found destructive or giving access. */
export function keepGrave(context: Context, judge: (muted: Context) => void): void {
  const aside = new Report();
  judge(deeper(context, { report: aside, scope: newScope(), searching: true }));
  for (const finding of aside.findings) {
    if (isGrave(finding)) context.report.add(finding);
  }
}
