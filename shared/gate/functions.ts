import type { Function as Definition, SyntaxNode } from 'unbash';
import { forEachChild } from 'unbash';
import type { Context } from './context.ts';
import { programOf } from './registry.ts';
import type { Known } from './scope.ts';
import { settingsBelow } from './settings-output.ts';
import type { Value } from './value.ts';

/** A function that the line defines and whose calls are judged as what it does. */
export interface OwnFunction {
  readonly body: Definition['body'];
  /** The text that positions in the body point into. */
  readonly source: string;
  readonly fixedSpan: Context['fixedSpan'];
}

// The shell starts this one by itself.
const CALLED_BY_THE_SHELL = 'command_not_found_handle';
const CHANGES_ARGUMENTS = /^(shift|set|unset|trap|getopts)$/;

/**
 * A definition whose calls can be followed: under a name of its own, defined once, its body changes
 * nothing of the shell itself. Anything else could make another command mean something else.
 */
export function ownFunction(node: Definition, context: Context): OwnFunction | undefined {
  const name = node.name.value;
  const plain = node.name.parts === undefined && /^[A-Za-z_][\w-]*$/.test(name);
  if (!plain || name === CALLED_BY_THE_SHELL || programOf(name)) return undefined;
  if (context.scope.functions.has(name)) return undefined;
  if (node.body.type === 'CompoundList' || changesShell(node.body)) return undefined;
  // Whole settings would come out of a name that tells nothing of them.
  if (settingsBelow(node.body)) return undefined;
  return { body: node.body, source: context.source, fixedSpan: context.fixedSpan };
}

function changesShell(node: SyntaxNode): boolean {
  if (node.type === 'Function') return true;
  if (node.type === 'Command' && CHANGES_ARGUMENTS.test(node.name?.value ?? '')) return true;
  let found = false;
  forEachChild(node, (child) => {
    found ||= changesShell(child);
  });
  return found;
}

const MAX_ARGUMENTS = 9;

/** What `$1`, `$2`, … and `"$@"` are inside a call with these words. */
export function argumentsOf(words: readonly Value[]): ReadonlyMap<string, Known> {
  const certain = words.every((word) => word.words === 'one') && words.length <= MAX_ARGUMENTS;
  const items = words.map(
    (word): Known =>
      word.text === undefined ? { kind: 'unknown' } : { kind: 'text', text: word.text },
  );
  const given = new Map<string, Known>();
  for (let at = 0; at < MAX_ARGUMENTS; at++) {
    const item = items[at] ?? { kind: 'text', text: '' };
    given.set(String(at + 1), certain ? item : { kind: 'unknown' });
  }
  given.set('@', certain ? { kind: 'list', items } : { kind: 'unknown' });
  return given;
}
