import { type Input, parseInput } from '../chat/input.ts';

/** One line of a script, in the order of the file. */
export type Step =
  | { readonly kind: 'heading'; readonly text: string }
  | { readonly kind: 'caption'; readonly text: string }
  | { readonly kind: 'input'; readonly line: string; readonly input: Input };

/**
 * Reads a script: what the operator says, line by line; `## ` begins a part, `> ` explains it, `#` is
 * a remark for whoever reads the file.
 */
export function readScript(text: string): readonly Step[] {
  return text.split('\n').flatMap((raw): Step[] => {
    const line = raw.trim();
    if (line.startsWith('## ')) return [{ kind: 'heading', text: line.slice(3).trim() }];
    if (line.startsWith('> ')) return [{ kind: 'caption', text: line.slice(2).trim() }];
    if (line === '' || line.startsWith('#')) return [];
    return [{ kind: 'input', line, input: parseInput(line) }];
  });
}
