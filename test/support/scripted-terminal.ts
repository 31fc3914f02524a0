import type { Terminal } from '../../cli/terminal.ts';

export interface ScriptedTerminal extends Terminal {
  /** All that was shown, questions too, in order. */
  readonly lines: string[];
}

/** A person who gives these answers one after the other; without answers nobody is there. */
export function scriptedTerminal(
  answers?: readonly string[],
  piped: readonly string[] = [],
): ScriptedTerminal {
  const lines: string[] = [];
  const waiting = [...(answers ?? [])];
  const answer = async (question: string) => {
    lines.push(question);
    const next = waiting.shift();
    if (next === undefined) throw new Error(`nobody answers: ${question}`);
    return next;
  };
  const show = (line: string) => {
    lines.push(line);
  };
  return {
    lines,
    interactive: answers !== undefined,
    say: show,
    complain: show,
    ask: answer,
    askHidden: answer,
    readLine: async () => piped[0] ?? '',
  };
}
