import { leadingWords, simpleWords } from './words.ts';

/** A command and where it is to run. */
export interface Entered {
  /** Undefined: on the host itself. */
  readonly vmid: number | undefined;
  /** As the gate judged it. */
  readonly command: string;
}

/** What a daemon's script wants, read without running any of it. The nonce proves our frames. */
export type Wanted =
  | (Entered & {
      readonly kind: 'run';
      readonly nonce: string;
      /** What looks at its files first, a place each. */
      readonly looks: readonly Entered[];
      /** The execution's id where the run is detached from its channel. */
      readonly detached: string | undefined;
    })
  /** A run that may be there, and how much of its output the daemon has. */
  | {
      readonly kind: 'attach';
      readonly nonce: string;
      readonly id: string;
      readonly from: { readonly stdout: number; readonly stderr: number };
    }
  | { readonly kind: 'sweep'; readonly nonce: string };

/** The script is complete once its last line has come. */
export function isWholeScript(text: string): boolean {
  return /\n(?:oikos_run|main)\n$/.test(text);
}

/** Undefined when the script is of a shape that this lab does not know. */
export function readScript(script: string): Wanted | undefined {
  const op = /\nop=(\w+)\nmain\n$/.exec(script)?.[1];
  if (op === undefined) return readSupervised(script);
  const nonce = setTo(script, 'nonce');
  const id = setTo(script, 'id');
  if (nonce === undefined || id === undefined) return undefined;
  if (op === 'sweep') return { kind: op, nonce };
  if (op === 'attach') {
    const from = { stdout: Number(setTo(script, 'po')), stderr: Number(setTo(script, 'pe')) };
    return { kind: op, nonce, id, from };
  }
  const line = setTo(script, 'command')?.replace(/^exec setsid /, '');
  return runOf(script, { nonce, line, detached: id });
}

function readSupervised(script: string): Wanted | undefined {
  const nonce = /'oikos (\S+) ready'/.exec(script)?.[1];
  const line = /\nsetsid ([\s\S]*) <\/dev\/null 3<&- &\npid=\$!\n/.exec(script)?.[1];
  return nonce === undefined ? undefined : runOf(script, { nonce, line, detached: undefined });
}

function runOf(
  script: string,
  run: { nonce: string; line: string | undefined; detached: string | undefined },
): Wanted | undefined {
  const { nonce, line, detached } = run;
  const entered = line === undefined ? undefined : enteredBy(simpleWords(line));
  const looks = looksOf(script);
  if (entered === undefined || looks === undefined) return undefined;
  return { kind: 'run', nonce, detached, looks, ...entered };
}

/** The value of a shell variable that the script sets to one word. */
function setTo(script: string, name: string): string | undefined {
  const at = script.indexOf(`\n${name}=`);
  if (at < 0) return undefined;
  return leadingWords(script.slice(at + name.length + 2)).words[0];
}

/** Each place is looked at by one line: `{ COMMAND </dev/null …; } | sed …`. */
function looksOf(script: string): readonly Entered[] | undefined {
  const looks: Entered[] = [];
  let rest = /\n(?:oikos_)?look\(\) \{\n([\s\S]*)$/.exec(script)?.[1] ?? '';
  while (rest.startsWith('{ ')) {
    const line = leadingWords(rest.slice(2));
    const look = enteredBy(line.words);
    if (look === undefined) return undefined;
    looks.push(look);
    rest = line.rest.slice(line.rest.indexOf('\n') + 1);
  }
  return looks;
}

/** `env … shell -c COMMAND`, or the same inside `pct exec ID --`. */
function enteredBy(words: readonly string[] | undefined): Entered | undefined {
  if (words === undefined) return undefined;
  const inner = afterEnvironment(words);
  if (inner[0] !== 'pct' || inner[1] !== 'exec') return withCommand(undefined, inner);
  const dashes = inner.indexOf('--');
  return withCommand(Number(inner[2]), afterEnvironment(inner.slice(dashes + 1)));
}

function withCommand(vmid: number | undefined, shell: readonly string[]): Entered | undefined {
  const command = shell[shell.indexOf('-c') + 1];
  const isShell = shell[0] === '/bin/bash' || shell[0] === '/bin/sh';
  return isShell && command !== undefined ? { vmid, command } : undefined;
}

/** Behind `/usr/bin/env -i NAME=value …`. */
function afterEnvironment(words: readonly string[]): readonly string[] {
  if (words[0] !== '/usr/bin/env') return words;
  const first = words.findIndex((word, index) => index > 0 && word !== '-i' && !/^\w+=/.test(word));
  return words.slice(first);
}
