import type { ParameterExpansionPart, Word } from 'unbash';
import type { Known, Scope } from './scope.ts';
import { literal, unknownWord, type Value } from './value.ts';

/** The items of `"${hosts[@]}"`, where the line made that array. */
export function listOf(word: Word, scope: Scope): readonly Known[] | undefined {
  const [part, ...more] = word.parts ?? [];
  const inner = part?.type === 'DoubleQuoted' ? part.parts : part && [part];
  if (more.length > 0 || inner?.length !== 1) return undefined;
  const [expansion] = inner;
  if (expansion?.type !== 'ParameterExpansion' || !isWhole(expansion)) return undefined;
  const known = scope.vars.get(expansion.parameter);
  if (known?.kind !== 'list') return undefined;
  // Without quotes every item is split and expanded again.
  if (part?.type === 'DoubleQuoted') return known.items;
  return known.items.every(isPlain) ? known.items : undefined;
}

function isWhole({ prefix, operation, index }: ParameterExpansionPart): boolean {
  return prefix === undefined && operation === undefined && index?.text === '@';
}

function isPlain(known: Known): boolean {
  return known.kind === 'text' && /^[\w@%+=:,./-]+$/.test(known.text);
}

const MAX_SPLIT = 32;

/** The words that `$hosts` becomes without quotes, where the line gave it plain ones. */
export function splitWords(word: Word, scope: Scope): readonly Value[] | undefined {
  const [part, ...more] = word.parts ?? [];
  if (part?.type !== 'SimpleExpansion' || more.length > 0) return undefined;
  const known = scope.vars.get(part.text.slice(1));
  if (known?.kind !== 'text' || !/^[\w@%+=:,./-]+([ \t\n]+[\w@%+=:,./-]+)+$/.test(known.text)) {
    return undefined;
  }
  const words = known.text.split(/\s+/);
  return words.length > MAX_SPLIT ? undefined : words.map(literal);
}

/** The words that `"${hosts[@]}"` becomes. */
export function listWords(word: Word, scope: Scope): readonly Value[] | undefined {
  return listOf(word, scope)?.map((known) => {
    if (known.kind === 'text') return literal(known.text);
    return unknownWord('any', 'pattern' in known ? known.pattern : '**');
  });
}
