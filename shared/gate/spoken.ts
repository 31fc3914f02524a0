import type { Input } from './rule.ts';

/**
 * What a client reads on its input: the very text where a here-document, a here-string or a plain
 * `echo` tells it; `unseen` where something else comes; undefined where nothing is given to it.
 */
export function spokenTo(input: Input): { readonly text: string } | 'unseen' | undefined {
  if (input.kind === 'inherited' || input.kind === 'null') return undefined;
  if (input.kind === 'text') {
    return input.script === undefined ? 'unseen' : { text: input.script };
  }
  const [program, ...words] = input.from;
  const texts = words.map((word) => word.text);
  if (!/^(echo|printf)$/.test(program?.text ?? '') || texts.includes(undefined)) return 'unseen';
  return { text: texts.join('\n').replaceAll('\\n', '\n') };
}
