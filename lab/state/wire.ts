import { simpleWords } from './words.ts';

/** What a daemon's supervising script wants run, read without running any of it. */
export interface Supervised {
  /** Proves the frames of this run. */
  readonly nonce: string;
  /** Undefined: on the host itself. */
  readonly vmid: number | undefined;
  /** The command as the gate judged it. */
  readonly command: string;
}

/** The script is complete once its last line has come. */
export function isWholeScript(text: string): boolean {
  return /\noikos_run\n$/.test(text);
}

/** Undefined when the script is of a shape that this lab does not know. */
export function readSupervised(script: string): Supervised | undefined {
  const nonce = /'oikos (\S+) ready'/.exec(script)?.[1];
  const line = /\nsetsid ([\s\S]*) <\/dev\/null 3<&- &\npid=\$!\n/.exec(script)?.[1];
  const words = line === undefined ? undefined : simpleWords(line);
  if (nonce === undefined || words === undefined) return undefined;
  const inner = afterEnvironment(words);
  if (inner[0] !== 'pct' || inner[1] !== 'exec') return withCommand(nonce, undefined, inner);
  const dashes = inner.indexOf('--');
  return withCommand(nonce, Number(inner[2]), afterEnvironment(inner.slice(dashes + 1)));
}

function withCommand(
  nonce: string,
  vmid: number | undefined,
  shell: readonly string[],
): Supervised | undefined {
  const command = shell[shell.indexOf('-c') + 1];
  const isShell = shell[0] === '/bin/bash' || shell[0] === '/bin/sh';
  return isShell && command !== undefined ? { nonce, vmid, command } : undefined;
}

/** Behind `/usr/bin/env -i NAME=value …`. */
function afterEnvironment(words: readonly string[]): readonly string[] {
  if (words[0] !== '/usr/bin/env') return words;
  const first = words.findIndex((word, index) => index > 0 && word !== '-i' && !/^\w+=/.test(word));
  return words.slice(first);
}
