import type {
  ArithmeticExpression,
  ParameterExpansionPart,
  ParsedScript,
  SyntaxNode,
  WordPart,
} from 'unbash';
import { forEachChild } from 'unbash';
import {
  branchOff,
  type Context,
  deeper,
  noteSyntax,
  segmentOf,
  spend,
  spendText,
} from './context.ts';
import { type Origin, originOf } from './inherited.ts';
import { reckons, setByArithmetic } from './numbers.ts';
import { printsNoOption } from './printed.ts';
import { scanForDestruction } from './scan.ts';
import type { Known } from './scope.ts';
import { canBeSecret } from './secrets.ts';
import { outputsSettings } from './settings-output.ts';
import { escapePattern, literal, PLAIN_OUTPUT, type Value } from './value.ts';

/** A word being put together. `open`: its text is no longer known. */
export interface Draft {
  readonly pattern: string;
  readonly text: string;
  readonly prefix: string;
  readonly open: boolean;
  readonly words: Value['words'];
}

type Append = (draft: Draft) => Draft;

// Empty in a line of its own: `-$@c` is the option -c.
const ARGUMENTS = /^([@*]|[1-9]\d*)$/;

// Set by the shell itself to one word without blanks.
const ONE_WORD_VARIABLES = /^([?#$!]|UID|EUID|PPID|RANDOM|SECONDS|LINENO)$/;

/** What an expansion adds to a word. Judges the commands inside it. */
export function expandPart(part: WordPart, quoted: boolean, context: Context): Append {
  spend(context);
  switch (part.type) {
    case 'SimpleExpansion':
      noteInherited(part.text.slice(1), part, context);
      return variable(part.text.slice(1), quoted, context);
    case 'ParameterExpansion':
      return parameter(part, quoted, context);
    case 'CommandExpansion':
      return substitution(part, quoted, context);
    case 'ProcessSubstitution':
      return processSubstitution(part, context);
    case 'ArithmeticExpansion':
      arithmetic(part.expression, part.text, part, context);
      return unknown('one');
    case 'Glob':
      return wildcard(part, context);
    default:
      noteSyntax(context, part, 'uses a form of expansion that is not followed');
      searchBelow(part, context);
      return unknown('any');
  }
}

function unknown(words: Value['words'], pattern = '**'): Append {
  return (draft) => ({
    ...draft,
    pattern: draft.pattern + pattern,
    open: true,
    words: worse(draft.words, words),
  });
}

function worse(a: Value['words'], b: Value['words']): Value['words'] {
  if (a === 'any' || b === 'any') return 'any';
  return a === 'files' || b === 'files' ? 'files' : 'one';
}

function variable(name: string, quoted: boolean, context: Context): Append {
  if (name === '@' || name === '*') return unknown('any');
  const known = context.scope.vars.get(name);
  if (known?.kind === 'text') spendText(context, known.text.length);
  if (known) return fromKnown(known, quoted);
  if (name === 'HOME') return text('/root');
  return unknown(quoted || ONE_WORD_VARIABLES.test(name) ? 'one' : 'any');
}

/** `${#x}` and `${x:+text}` tell about a variable without printing it. */
function printsValue(part: ParameterExpansionPart): boolean {
  const { operation: op } = part;
  const asks = op?.type === 'Default' && op.operator.includes('+');
  return part.prefix !== '#' && !asks;
}

const ORIGINS: Readonly<Record<Exclude<Origin, 'plain'>, (name: string) => string>> = {
  secret: (name) => `prints the variable ${name}, which can hold a secret`,
  unknown: (name) => `uses the variable ${name}, which the line did not set`,
};

/** What the environment holds under a name is as unseen as a file: it often is a password. */
function noteInherited(name: string, node: { pos: number; end: number }, context: Context): void {
  if (ARGUMENTS.test(name)) noteSyntax(context, node, 'uses arguments that nobody gave');
  const origin = originOf(name, context.scope.vars.get(name));
  if (origin === 'plain' || context.asking) return;
  const secret = origin === 'secret';
  noteSyntax(context, node, ORIGINS[origin](name), {
    class: secret ? 'destructive' : 'config_mutation',
    flags: secret ? ['secret'] : [],
  });
}

/** What a variable of which this is known adds to a word. */
export function fromKnown(known: Known, quoted: boolean): Append {
  if (known.kind === 'unknown' || known.kind === 'number' || known.kind === 'list') {
    return unknown(quoted ? 'one' : 'any');
  }
  if (known.kind === 'text') {
    const splits = !quoted && (known.text === '' || /[\s*?[\\]/.test(known.text));
    return splits ? unknown('any') : text(known.text);
  }
  const whole = known.kind === 'word' || isDeviceName(known.pattern);
  const words = whole || quoted ? 'one' : 'any';
  return (draft) => ({
    ...unknown(words, known.pattern)(draft),
    prefix: draft.open ? draft.prefix : draft.prefix + known.prefix,
  });
}

/** Names below /dev are given by the kernel and udev, without blanks; below shm by anybody. */
function isDeviceName(pattern: string): boolean {
  return /^\/dev\/((disk|mapper|zvol|dri|input|bus)\/)?[^/*?[\\]+[^/\\]*$|^\/dev\/disk\/[\w-]+\/[^/\\]+$/.test(
    pattern,
  );
}

function text(value: string): Append {
  return (draft) => ({
    ...draft,
    pattern: draft.pattern + escapePattern(value),
    text: draft.text + value,
    prefix: draft.open ? draft.prefix : draft.prefix + value,
  });
}

function parameter(part: ParameterExpansionPart, quoted: boolean, context: Context): Append {
  if (part.prefix === '!') noteSyntax(context, part, 'reads a variable whose name is computed');
  if (part.index && !/^[@*\d]+$/.test(part.index.text)) {
    noteSyntax(context, part, 'evaluates an array index');
    searchBelow(part, context);
  }
  if (printsValue(part)) noteInherited(part.parameter, part, context);
  if (part.operation) return operation(part, part.operation, quoted, context);
  if (part.prefix === '#') return unknown('one');
  if (part.index || part.prefix) return unknown('any');
  return variable(part.parameter, quoted, context);
}

function operation(
  part: ParameterExpansionPart,
  op: NonNullable<ParameterExpansionPart['operation']>,
  quoted: boolean,
  context: Context,
): Append {
  if (op.type === 'Transform' || op.type === 'Unknown' || op.type === 'Names') {
    noteSyntax(context, part, 'transforms a variable in a way that can run code');
  } else if (op.type === 'Default' && op.operator.includes('=')) {
    noteSyntax(context, part, 'assigns a variable while it is read');
  } else if (op.type === 'Slice' && !/^[\d\s:-]*$/.test(sliceText(op))) {
    noteSyntax(context, part, 'evaluates the bounds of a slice');
  }
  if (/`|\$\(|\$\[|[<>]\(/.test(part.text)) {
    noteSyntax(context, part, 'runs a command inside a variable expansion');
    searchBelow(part, context);
  }
  return unknown(quoted ? 'one' : 'any');
}

function sliceText(op: { offset: { text: string }; length: { text: string } | undefined }): string {
  return `${op.offset.text}${op.length?.text ?? ''}`;
}

function substitution(
  part: Extract<WordPart, { type: 'CommandExpansion' }>,
  quoted: boolean,
  context: Context,
): Append {
  noteStrict(part, context);
  noteSecretName(part, context);
  noteSettings(part, context);
  if (part.script) context.engine.script(part.script, inside(part, context));
  else noteSyntax(context, part, 'has a substitution that cannot be read');
  const form = printsNoOption(part.script) ? PLAIN_OUTPUT : '**';
  return unknown(quoted || isOneWord(part.script) ? 'one' : 'any', form);
}

// What these print is one word, never none and without blanks.
const ONE_WORD = /^(hostname( -[sf])?|uname -[rnm]|whoami|id -un?|nproc|date \+[\w%:-]+)$/;

function isOneWord(script: ParsedScript | undefined): boolean {
  const [statement, ...more] = script?.commands ?? [];
  const command = statement?.command;
  if (command?.type !== 'Command' || more.length > 0) return false;
  if (command.prefix.length > 0 || command.redirects.length > 0) return false;
  const words = [command.name, ...command.args];
  return ONE_WORD.test(words.map((word) => (word?.type === 'Word' ? word.text : '"')).join(' '));
}

/** `$(echo /etc/shadow)`: whatever uses the word uses that file. */
function noteSecretName(
  part: Extract<WordPart, { type: 'CommandExpansion' }>,
  context: Context,
): void {
  const commands = part.script?.commands.map((statement) => statement.command) ?? [];
  for (const command of commands) {
    if (command.type !== 'Command' || !/^(echo|printf)$/.test(command.name?.value ?? '')) continue;
    const names = command.args.flatMap((arg) => (arg.type === 'Word' ? [arg.value] : []));
    const secret = names.find(
      (name) => name.includes('/') && canBeSecret(literal(name), context.scope.directories),
    );
    if (secret === undefined) continue;
    noteSyntax(context, part, `names ${secret}, which can hold a secret`, { flags: ['secret'] });
  }
}

function processSubstitution(
  part: Extract<WordPart, { type: 'ProcessSubstitution' }>,
  context: Context,
): Append {
  noteStrict(part, context);
  if (part.operator === '>') noteSyntax(context, part, 'writes into another command');
  if (!context.comparing) noteSettings(part, context);
  if (part.script) context.engine.script(part.script, inside(part, context));
  else noteSyntax(context, part, 'has a substitution that cannot be read');
  return (draft) => ({
    ...unknown('one')(draft),
    prefix: draft.open ? draft.prefix : `${draft.prefix}/dev/fd/`,
    pattern: `${draft.pattern}/dev/fd/*`,
  });
}

/** Settings in a variable or an argument can be taken apart in ways nobody follows. */
function noteSettings(
  part: { pos: number; end: number; script: ParsedScript | undefined },
  context: Context,
): void {
  if (part.script === undefined || !outputsSettings(part.script)) return;
  noteSyntax(context, part, 'hands on whole settings, whose secrets might not be recognised');
}

function noteStrict(part: { pos: number; end: number }, context: Context): void {
  if (!context.policy.strictSubstitution) return;
  noteSyntax(
    context,
    part,
    'uses the output of a command, which the settings do not allow unasked',
  );
}

// A script inside escaped backticks has a text of its own that its positions point into.
function inside(
  part: { pos: number; end: number; script: { source?: string } | undefined },
  context: Context,
): Context {
  const own = part.script?.source;
  const scope = branchOff(context);
  const fresh = { scope, asking: false, input: { kind: 'inherited' } } as const;
  if (own === undefined) return deeper(context, fresh);
  const { span } = segmentOf(part, context);
  return deeper(context, { ...fresh, source: own, fixedSpan: span });
}

/** Notes arithmetic that would evaluate more than numbers: the shell runs code hidden in variables. */
export function arithmetic(
  expression: ArithmeticExpression | undefined,
  source: string,
  node: { pos: number; end: number },
  context: Context,
): void {
  if (judgeReckoning(expression, context)) return;
  noteSyntax(context, node, 'evaluates arithmetic over something unknown');
  scanForDestruction(source, context, segmentOf(node, context));
}

/** Judges what only reckons with numbers; false, when it is more than that. */
export function judgeReckoning(
  expression: ArithmeticExpression | undefined,
  context: Context,
): boolean {
  if (expression === undefined || !reckons(expression, context.scope)) return false;
  judgeOperands(expression, context);
  return true;
}

/** What the numbers come from is run as well, and what was set holds another number now. */
function judgeOperands(node: SyntaxNode, context: Context): void {
  spend(context);
  if (node.type === 'ArithmeticBinary' || node.type === 'ArithmeticUnary') {
    const name = setByArithmetic(node);
    if (name !== undefined) context.scope.vars.set(name, { kind: 'number' });
  }
  forEachChild(node, (child) => {
    if (child.type === 'Script') {
      context.engine.script(child, deeper(context, { scope: branchOff(context) }));
    } else if (isExpansion(child)) expandPart(child, true, context);
    else judgeOperands(child, context);
  });
}

function isExpansion(node: SyntaxNode): node is WordPart {
  return /^(Command|Simple|Parameter|Arithmetic)Expansion$/.test(node.type);
}

function wildcard(part: Extract<WordPart, { type: 'Glob' }>, context: Context): Append {
  for (const inner of part.parts ?? []) {
    if (inner.type !== 'Literal' && inner.type !== 'SingleQuoted') {
      noteSyntax(context, part, 'computes part of a wildcard');
      searchBelow(part, context);
    }
  }
  return unknown('files', part.text);
}

/** Judges every command below a node that is not followed, so that a destructive one still shows. */
export function searchBelow(node: Parameters<typeof forEachChild>[0], context: Context): void {
  spend(context);
  const isText = 'text' in node && typeof node.text === 'string';
  if (isText) spendText(context, node.text.length);
  if (isText && /`|\$\(|[<>]\(/.test(node.text)) {
    scanForDestruction(node.text, context, segmentOf(node, context));
  }
  forEachChild(node, (child) => {
    if (child.type === 'Script') context.engine.script(child, deeper(context));
    else searchBelow(child, deeper(context));
  });
}
