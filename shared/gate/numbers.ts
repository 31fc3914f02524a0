import type {
  ArithmeticExpression,
  Command,
  ParsedScript,
  Pipeline,
  Redirection,
  Statement,
  Word,
  WordPart,
} from 'unbash';
import { isReservedVariable } from './environment.ts';
import { isNumber, type Known, type Scope } from './scope.ts';

/**
 * What certainly is an integer, or nothing at all. Arithmetic runs code that is hidden in the text of
 * a variable or a substitution (`a[$(rm x)]`), so it is harmless only over these.
 */
type Runnable = Statement['command'];

// Set by the shell itself to a number, and harmless when a line of its own has none of them.
const SHELL_NUMBERS = /^([#?$!]|UID|EUID|PPID|RANDOM|SECONDS|EPOCHSECONDS|LINENO)$/;
const ASSIGNS = /^([+\-*/%&|^]|<<|>>)?=$/;
const NAME = /^[A-Za-z_]\w*$/;

/** Whether a word is a number whatever happens: `5`, `$((…))`, `$(… | wc -l)`, `$n`. */
export function isNumberWord(word: Word, scope: Scope): boolean {
  if (word.parts === undefined) return /^-?\d+$/.test(word.value);
  return word.parts.length > 0 && word.parts.every((part) => isNumberPart(part, scope));
}

function isNumberPart(part: WordPart, scope: Scope): boolean {
  switch (part.type) {
    case 'Literal':
      return /^\d*$/.test(part.value);
    case 'DoubleQuoted':
      return part.parts.every((child) => isNumberPart(child, scope));
    case 'ArithmeticExpansion':
      return true;
    case 'CommandExpansion':
      return printsNumber(part.script, scope);
    case 'SimpleExpansion':
      return isNumberVariable(part.text.slice(1), scope);
    case 'ParameterExpansion': {
      if (part.prefix === '#') return part.operation === undefined && !isComputed(part.index);
      if (part.prefix !== undefined || part.index) return false;
      const plain = isNumberVariable(part.parameter, scope);
      if (part.operation === undefined) return plain;
      const { operation } = part;
      const falls = operation.type === 'Default' && /^:?-$/.test(operation.operator);
      return plain && falls && /^\d+$/.test(operation.operand.text);
    }
    default:
      return false;
  }
}

function isComputed(index: Word | undefined): boolean {
  return index !== undefined && !/^[@*\d]+$/.test(index.text);
}

function isNumberVariable(name: string, scope: Scope): boolean {
  const known = scope.vars.get(name);
  return known === undefined ? SHELL_NUMBERS.test(name) : isNumber(known);
}

/**
 * Whether evaluating this can only reckon with numbers. Variables that it sets afterwards hold numbers,
 * and only those that held one before may be set.
 */
export function reckons(expression: ArithmeticExpression | undefined, scope: Scope): boolean {
  switch (expression?.type) {
    case 'ArithmeticBinary': {
      if (ASSIGNS.test(expression.operator) && !isSettable(expression.left, scope)) return false;
      return reckons(expression.left, scope) && reckons(expression.right, scope);
    }
    case 'ArithmeticUnary': {
      const steps = expression.operator === '++' || expression.operator === '--';
      if (steps && !isSettable(expression.operand, scope)) return false;
      return reckons(expression.operand, scope);
    }
    case 'ArithmeticTernary':
      return [expression.test, expression.consequent, expression.alternate].every((each) =>
        reckons(each, scope),
      );
    case 'ArithmeticGroup':
      return reckons(expression.expression, scope);
    case 'ArithmeticWord':
      if (expression.parts) return expression.parts.every((part) => reckonsPart(part, scope));
      if (NAME.test(expression.value)) return isNumberVariable(expression.value, scope);
      return /^(\d+(#\d+)?|0[xX][\da-fA-F]+)$/.test(expression.value);
    case 'ArithmeticCommandExpansion':
      return printsNumber(expression.script, scope);
    default:
      return false;
  }
}

function reckonsPart(part: WordPart, scope: Scope): boolean {
  if (part.type === 'ArithmeticExpansion') return reckons(part.expression, scope);
  if (part.type === 'Literal') return /^(10#)?\d*$/.test(part.value);
  return isNumberPart(part, scope);
}

function isSettable(target: ArithmeticExpression, scope: Scope): boolean {
  if (target.type !== 'ArithmeticWord' || target.parts || !NAME.test(target.value)) return false;
  return !isReservedVariable(target.value) && isNumber(scope.vars.get(target.value));
}

/** The variable that a part of arithmetic sets, if it is one that does. */
export function setByArithmetic(node: ArithmeticExpression): string | undefined {
  const target =
    node.type === 'ArithmeticBinary' && ASSIGNS.test(node.operator)
      ? node.left
      : node.type === 'ArithmeticUnary' && /^(\+\+|--)$/.test(node.operator)
        ? node.operand
        : undefined;
  return target?.type === 'ArithmeticWord' ? target.value : undefined;
}

/** Whether what a substitution prints is numbers, one a line, or nothing. */
export function printsNumber(script: ParsedScript | undefined, scope: Scope): boolean {
  const [statement, ...more] = script?.commands ?? [];
  if (statement === undefined || more.length > 0 || statement.background) return false;
  return isCounting(statement.command, scope);
}

function isCounting(node: Runnable, scope: Scope): boolean {
  switch (node.type) {
    case 'Command':
      return isCount(node, false, scope) || isCommand(node, SILENT);
    case 'Pipeline':
      return isCountingPipeline(node, scope);
    case 'AndOr':
      return node.commands.every((command) => isCounting(command, scope));
    default:
      return false;
  }
}

function isCountingPipeline(pipeline: Pipeline, scope: Scope): boolean {
  if (pipeline.operators.some((operator) => operator !== '|')) return false;
  for (const [back, command] of pipeline.commands.toReversed().entries()) {
    if (command.type !== 'Command') return false;
    const piped = back < pipeline.commands.length - 1;
    if (isCount(command, piped, scope)) return true;
    if (!piped || !isCommand(command, PASSES)) return false;
  }
  return false;
}

// Prints nothing.
const SILENT = /^(true|:)$/;
// Prints some of the lines it is given, in another order.
const PASSES = /^((head|tail)( -n ?\d+| -\d+)?|sort( -[nrVu]+)?|tac)$/;
const PICKS_DIGITS =
  /^(tr -(dc|cd) (['"]?)0-9(\\n)?\3|tr -(dc|cd) '\[:digit:\](\\n)?'|grep -\w*o\w* '(\[0-9\]|\[\[:digit:\]\])\\?\+')$/;
const COUNTS_INPUT = /^(wc -[lcmw]|jq (-r )?(length|'length'|'[\w.[\] ]*\| ?length'))$/;
const GREP_COUNT =
  /^grep( -[iEFvwx]+)* -[iEFvwx]*c[iEFvwx]*( -[iEFvwx]+)* ('[^']*'|"[^"$`]*"|[\w.:=/^][\w.:=/^-]*)( ("\$\w+"|[\w./][\w./-]*))?$/;
const FIELD = String.raw`\$?\w+`;
const AWK = String.raw`^awk( -F ?('[^']{1,3}'|[:,;]))? '[^{}';\n]*`;
const AWK_NUMBER = new RegExp(
  String.raw`${AWK}\{ ?print (int\(${FIELD}([+*/-]\d+)*\)|${FIELD}([+*/-]\d+)+|NR)( ?; ?exit)? ?\}'$`,
);
const AWK_FORMAT = new RegExp(
  String.raw`${AWK}\{ ?printf ?\(? ?"%(d|i|\.0f)(\\n)?" ?,[^{};"']*\}'$`,
);
// Prints numbers, also where it is told a file.
const NUMBERS = [
  /^(nproc|id -[ug]|echo ['"]?\d+['"]?|getconf (_NPROCESSORS_ONLN|PAGE_SIZE)|pgrep -c( -[fxa])* [\w.-]+)$/,
  /^date( -u| (-d|--date=) ?("[^"`]*"|'[^']*'|[\w@.:-]+))* ['"]?\+%(s|s%N|H|M|d|m|Y|j|u)['"]?$/,
  /^stat( -L)? -c ?['"]?%[sYXZWah]['"]?( [^\s-]\S*)+$/,
  GREP_COUNT,
];
// Only the kernel's drivers write these.
const SENSOR =
  /^cat (["']?)(?:\$\{?(\w+)\}?|(\/sys\/(?:class|devices|block)\/[\w/*.:-]+))\/(temp(\d+_input)?|fan\d+_input|capacity|[rt]x_(bytes|packets|errors|dropped)|size|speed|mtu)\1$/;

function isCount(command: Command, piped: boolean, scope: Scope): boolean {
  const text = textOf(command);
  if (text === undefined) return false;
  if (NUMBERS.some((form) => form.test(text)) || isSensor(text, scope)) return true;
  if (PICKS_DIGITS.test(text)) return true;
  const fed = piped || command.redirects.some((redirect) => isOperator(redirect, '<'));
  return fed && [COUNTS_INPUT, AWK_NUMBER, AWK_FORMAT].some((form) => form.test(text));
}

function isSensor(text: string, scope: Scope): boolean {
  const [, , variable, path] = SENSOR.exec(text) ?? [];
  const known = variable === undefined ? undefined : scope.vars.get(variable);
  const from = path ?? (known && ('text' in known ? known.text : knownPattern(known)));
  return from !== undefined && /^\/sys\/(class|devices|block)\//.test(from) && !from.includes('..');
}

function knownPattern(known: Known): string | undefined {
  return known.kind === 'file' || known.kind === 'word' ? known.pattern : undefined;
}

function isCommand(command: Command, form: RegExp): boolean {
  const text = textOf(command);
  return text !== undefined && form.test(text);
}

/** The words as they are written, where nothing but its numbers can come out of the command. */
function textOf(command: Command): string | undefined {
  if (command.prefix.length > 0 || command.name === undefined) return undefined;
  if (!command.redirects.every(isQuiet)) return undefined;
  return [command.name, ...command.args].map((word) => word.text).join(' ');
}

function isQuiet(redirect: Redirection): boolean {
  if (isOperator(redirect, '<')) return true;
  return (
    redirect.type === 'Redirect' &&
    redirect.operator === '>' &&
    redirect.target?.value === '/dev/null'
  );
}

function isOperator(redirect: Redirection, operator: '<'): boolean {
  return redirect.type === 'Redirect' && redirect.operator === operator;
}
