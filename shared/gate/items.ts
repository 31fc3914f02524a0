import type { Word, WordPart } from 'unbash';
import type { Context } from './context.ts';
import { listOf } from './lists.ts';
import type { Known } from './scope.ts';
import type { Value } from './value.ts';
import { expandWord } from './words.ts';

/** What each word of an array or of a loop's list is known to be. */
export function loopItems(word: Word, context: Context): readonly Known[] {
  const list = listOf(word, context.scope);
  if (list) return list;
  const quotes = (word.parts ?? []).some(quotesExpansion);
  return expandWord(word, context).map((value) => itemOf(value, quotes));
}

/** An expansion in quotes is not split: its blanks stay. */
function quotesExpansion(part: WordPart): boolean {
  if (part.type !== 'DoubleQuoted' && part.type !== 'LocaleString') return false;
  return part.parts.some((child) => child.type !== 'Literal');
}

function itemOf(value: Value, quotes: boolean): Known {
  if (value.text !== undefined) return { kind: 'text', text: value.text };
  const { pattern, prefix } = value;
  // Words of a substitution were split already; names from a pattern may hold blanks.
  return { kind: value.words === 'files' || quotes ? 'file' : 'word', pattern, prefix };
}
