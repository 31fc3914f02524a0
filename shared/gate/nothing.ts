import type { Input } from './rule.ts';
import type { Value } from './value.ts';

const QUIET =
  /^((true|false|:|sleep|sync|wait|test|\[)( .*)?|echo( -[neE]+)*\s*|printf( --)? *((%-?\d*[sb]|\\n) *)*|cat( *\/dev\/null)+|(head|tail) -[cn] ?0( .*)?)$/s;

/** Whether nothing but perhaps an empty line comes out: what it is written over ends up empty. */
export function printsNothing(words: readonly Value[], input: Input): boolean {
  if (words.some((word) => word.text === undefined)) return false;
  const line = words.map((word) => word.text).join(' ');
  return QUIET.test(line) || (line === 'cat' && comesNothing(input));
}

/** Whether a program that reads its input finds it empty. */
export function comesNothing(input: Input): boolean {
  if (input.kind === 'pipe') {
    return input.from.length > 0 && printsNothing(input.from, { kind: 'inherited' });
  }
  return input.kind === 'null' || (input.kind === 'text' && input.script?.trim() === '');
}
