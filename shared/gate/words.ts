import type { Word, WordPart } from 'unbash';
import { expandBraces } from './braces.ts';
import { type Context, noteSyntax, spend, spendText } from './context.ts';
import { type Draft, expandPart } from './expansions.ts';
import { listWords, splitWords } from './lists.ts';
import { escapePattern, type Value } from './value.ts';

const MAX_WORDS = 64;
const MAX_WILDCARDS = 6;

/** The arguments a word of the command becomes. Judges the substitutions inside on the way. */
export function expandWord(word: Word, context: Context): readonly Value[] {
  spend(context);
  spendText(context, word.text.length);
  if (word.parts === undefined) return [plain(word.value, word.text)];
  const listed = listWords(word, context.scope);
  if (listed) {
    for (const each of listed) spendText(context, each.pattern.length);
    return listed;
  }
  const split = splitWords(word, context.scope);
  if (split) return split;
  let drafts: readonly Draft[] = [emptyDraft()];
  const wildcards = word.parts.filter((part) => part.type === 'Glob').length;
  if (wildcards > MAX_WILDCARDS) noteSyntax(context, word, 'has very many wildcards');
  word.parts.forEach((part, index) => {
    spend(context, drafts.length - 1);
    drafts = appendPart(drafts, part, index === 0, context);
  });
  return drafts.map(finish);
}

function plain(value: string, text: string): Value {
  return finish(appendText(emptyDraft(), value, text.startsWith('~')));
}

function emptyDraft(): Draft {
  return { pattern: '', text: '', prefix: '', open: false, words: 'one' };
}

function finish(draft: Draft): Value {
  return {
    text: draft.open ? undefined : draft.text,
    pattern: draft.pattern,
    prefix: draft.prefix,
    words: draft.words,
  };
}

function appendPart(
  drafts: readonly Draft[],
  part: WordPart,
  first: boolean,
  context: Context,
): readonly Draft[] {
  switch (part.type) {
    case 'Literal':
      return drafts.map((draft) =>
        appendText(draft, part.value, first && part.text.startsWith('~')),
      );
    case 'SingleQuoted':
      return drafts.map((draft) => appendText(draft, part.value));
    case 'AnsiCQuoted':
      if (/\\(c|\r?\n)/.test(part.text)) noteSyntax(context, part, "has an odd $'…' escape");
      return drafts.map((draft) => appendText(draft, part.value));
    case 'DoubleQuoted':
    case 'LocaleString':
      return appendQuoted(drafts, part.parts, context);
    case 'BraceExpansion':
      return appendBraces(drafts, part, context);
    default: {
      const expanded = expandPart(part, false, context);
      return drafts.map((draft) => expanded(draft));
    }
  }
}

function appendQuoted(
  drafts: readonly Draft[],
  parts: readonly WordPart[],
  context: Context,
): readonly Draft[] {
  let result = drafts;
  for (const part of parts) {
    if (part.type === 'Literal') {
      result = result.map((draft) => appendText(draft, part.value));
    } else {
      const expanded = expandPart(part, true, context);
      result = result.map((draft) => expanded(draft));
    }
  }
  return result;
}

function appendBraces(
  drafts: readonly Draft[],
  part: Extract<WordPart, { type: 'BraceExpansion' }>,
  context: Context,
): readonly Draft[] {
  const words = expandBraces(part.text);
  if (words && words.length * drafts.length <= MAX_WORDS) {
    return drafts.flatMap((draft) => words.map((word) => appendText(draft, word)));
  }
  noteSyntax(context, part, 'has a brace expression too large or too odd to follow');
  const expanded = expandPart(part, false, context);
  return drafts.slice(0, MAX_WORDS).map((draft) => expanded(draft));
}

// The login directory of another user is unknown; one's own is root's on the hosts Oikos keeps.
function appendText(draft: Draft, value: string, tilde = false): Draft {
  const text = tilde ? value.replace(/^~(root)?(?=\/|$)/, '/root') : value;
  const strange = tilde && text.startsWith('~');
  return {
    ...draft,
    pattern: draft.pattern + escapePattern(strange ? text.replace(/^~[^/]*/, '/home/u') : text),
    text: draft.text + text,
    prefix: draft.open ? draft.prefix : draft.prefix + (strange ? '/' : text),
    open: draft.open || strange,
  };
}
