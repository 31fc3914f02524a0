import type { Command, For, ParsedScript, Statement, Word, WordPart } from 'unbash';
import { parse } from 'unbash';
import { expandBraces } from './braces.ts';
import { classify } from './classify.ts';
import { findBashism } from './dialect.ts';
import { doubts } from './distrust.ts';
import type { GateFacts } from './facts.ts';
import type { GatePolicy } from './policy.ts';

const MAX_PARTS = 16;
const MAX_LENGTH = 4096;

// A value of these letters is one word, and the same word, with and without quotes.
const PLAIN_VALUE = /^[A-Za-z0-9@._:/+-]+$/;

// Whatever changes the shell itself would reach into the next round of the loop.
const STATEFUL =
  /^(\.|alias|bg|bind|break|builtin|caller|cd|command|compgen|complete|continue|coproc|declare|dirs|disown|enable|eval|exec|exit|export|fc|fg|getopts|hash|history|jobs|let|local|logout|mapfile|popd|pushd|read|readarray|readonly|return|set|shift|shopt|source|suspend|times|trap|type|typeset|ulimit|umask|unalias|unset|wait)$/;

/**
 * The single commands that a loop over literal words stands for, one for each word: so that each
 * gets a card and a sentence of its own. Undefined where the rounds could differ from these commands
 * (a shell's state, a value decided at run time), where there is nothing to split, or where the parts
 * could not be confirmed one by one either. Every part is a command line of its own and must be
 * classified again.
 */
export function splitByObject(
  command: string,
  facts: GateFacts,
  policy?: GatePolicy,
): readonly string[] | undefined {
  if (command.length > MAX_LENGTH) return undefined;
  const loop = onlyLoop(command, facts);
  const values = loop && literalValues(loop);
  if (loop === undefined || values === undefined) return undefined;
  const parts = values.map((value) => roundOf(loop, value, command));
  const whole = parts.filter((part) => part !== undefined);
  if (whole.length !== values.length || new Set(whole).size !== whole.length) return undefined;
  const judge = (text: string) =>
    classify({ command: text, facts, ...(policy === undefined ? {} : { policy }) });
  const { risk, confirm } = judge(command);
  if (risk !== 'destructive' || confirm !== undefined) return undefined;
  return whole.every((part) => judge(part).confirm !== undefined) ? whole : undefined;
}

/** The loop, when it is the whole line and every character of it is understood. */
function onlyLoop(command: string, facts: GateFacts): For | undefined {
  let script: ParsedScript;
  try {
    script = parse(command);
  } catch {
    // What cannot be parsed has no rounds; the gate itself says what it thinks of it.
    return undefined;
  }
  const [statement, ...more] = script.commands;
  if (script.errors?.length || more.length > 0 || statement?.background) return undefined;
  if (doubts(script, command).length > 0) return undefined;
  if (facts.shell === 'posix' && findBashism(script)) return undefined;
  return statement?.command.type === 'For' ? statement.command : undefined;
}

function literalValues(loop: For): readonly string[] | undefined {
  const words = (loop.wordlist ?? []).map(literalWords);
  const values = words.flatMap((found) => found ?? []);
  const plain = words.every((found) => found !== undefined && found.length > 0);
  const fits = values.length > 1 && values.length <= MAX_PARTS;
  return plain && fits && values.every((value) => PLAIN_VALUE.test(value)) ? values : undefined;
}

function literalWords(word: Word): readonly string[] | undefined {
  const [first, ...more] = word.parts ?? [];
  if (first === undefined) return [word.value];
  if (first.type === 'BraceExpansion' && more.length === 0) return expandBraces(first.text);
  const whole = [first, ...more].every((part) => /^(Literal|SingleQuoted)$/.test(part.type));
  return whole ? [word.value] : undefined;
}

/** The body with the value in place of the variable, or undefined where that is not the same. */
function roundOf(loop: For, value: string, source: string): string | undefined {
  const uses: WordPart[] = [];
  const name = loop.name.value;
  if (!loop.body.commands.every((statement) => collectUses(statement, name, uses)))
    return undefined;
  const first = loop.body.commands[0];
  const last = loop.body.commands.at(-1);
  if (first === undefined || last === undefined || uses.length === 0) return undefined;
  // A value right before `>` would become the number of what is redirected.
  if (uses.some((use) => /[<>]/.test(source.charAt(use.end)))) return undefined;
  let text = '';
  let at = first.pos;
  for (const use of uses.toSorted((a, b) => a.pos - b.pos)) {
    text += source.slice(at, use.pos) + value;
    at = use.end;
  }
  return text + source.slice(at, last.end);
}

/** Gathers where a statement uses the variable; false when it does anything beyond plain commands. */
function collectUses(statement: Statement, name: string, uses: WordPart[]): boolean {
  return !statement.background && collectNode(statement.command, name, uses);
}

function collectNode(node: Statement['command'], name: string, uses: WordPart[]): boolean {
  switch (node.type) {
    case 'Command':
      return collectCommand(node, name, uses);
    case 'Pipeline':
      return (
        node.prefixes.length === 0 && node.commands.every((one) => collectNode(one, name, uses))
      );
    case 'AndOr':
      return node.commands.every((one) => collectNode(one, name, uses));
    default:
      return false;
  }
}

function collectCommand(command: Command, name: string, uses: WordPart[]): boolean {
  const { name: program, prefix, args, redirects } = command;
  if (program === undefined || prefix.length > 0) return false;
  if (program.parts !== undefined || STATEFUL.test(program.value)) return false;
  const nowhere = redirects.every(
    (one) => one.type === 'Redirect' && /^(\/dev\/null|\d)$/.test(one.target?.text ?? ''),
  );
  return nowhere && args.every((arg) => arg.type === 'Word' && collectWord(arg, name, uses));
}

function collectWord(word: Word, name: string, uses: WordPart[]): boolean {
  return (word.parts ?? []).every((part) => {
    if (part.type !== 'DoubleQuoted') return collectPart(part, name, uses);
    return part.parts.every((inner) => collectPart(inner, name, uses));
  });
}

function collectPart(part: WordPart, name: string, uses: WordPart[]): boolean {
  if (part.type === 'Literal' || part.type === 'SingleQuoted') return true;
  const isVariable =
    (part.type === 'SimpleExpansion' && part.text === `$${name}`) ||
    (part.type === 'ParameterExpansion' && part.text === `\${${name}}`);
  if (isVariable) uses.push(part);
  return isVariable;
}
