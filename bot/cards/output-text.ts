import { type Block, codeBlock, line } from './document.ts';

/** What a card shows of a run's output; the whole is kept with the execution. */
export const MAX_OUTPUT_LINES = 25;
export const MAX_OUTPUT_CHARACTERS = 2_000;

/** The last lines of output as a code block, with what was left out named above it. */
export function outputBlocks(tail: string, cutBefore: boolean): readonly Block[] {
  const whole = tail.replace(/\n+$/, '');
  if (whole.trim() === '') return [];
  const lines = whole.split('\n');
  const kept = [...lines.slice(-MAX_OUTPUT_LINES).join('\n')];
  const text = kept.slice(-MAX_OUTPUT_CHARACTERS).join('');
  const shown = text.split('\n').length;
  const dropped = shown < lines.length || kept.length > MAX_OUTPUT_CHARACTERS;
  return [line(label(shown, dropped, cutBefore)), codeBlock(text)];
}

function label(shown: number, dropped: boolean, cutBefore: boolean): string {
  if (dropped) return `Output, only the last ${shown === 1 ? 'line' : `${shown} lines`}:`;
  return cutBefore ? 'Output, its end only:' : 'Output:';
}
