import type {
  ArithmeticFor,
  Assignment,
  Case,
  Command,
  CompoundList,
  For,
  If,
  ParsedScript,
  Pipeline,
  Statement,
  SyntaxNode,
  While,
} from 'unbash';
import { forEachChild } from 'unbash';
import { branchOff, type Context, deeper, noteSyntax, spend } from './context.ts';
import { isReservedVariable } from './environment.ts';
import { judgeReckoning, searchBelow } from './expansions.ts';
import { loopItems } from './items.ts';
import { isNumberWord, reckons, setByArithmetic } from './numbers.ts';
import { carriesSettings } from './recognisable.ts';
import { judgeRedirect } from './redirects.ts';
import type { Input } from './rule.ts';
import { forget, forgetDirectory, joinInto, type Known, type Scope } from './scope.ts';
import { settingsBelow } from './settings-output.ts';
import { judgeSimple } from './simple.ts';
import { judgeTest } from './tests.ts';
import type { Value } from './value.ts';
import { expandWord } from './words.ts';

const MAX_LOOP_VALUES = 32;

type Runnable = Statement['command'];

/** Judges every statement of a script, in the order the shell runs them. */
export function walkScript(script: ParsedScript, context: Context): void {
  for (const error of script.errors ?? []) {
    noteSyntax(context, { pos: error.pos, end: error.pos }, `does not parse: ${error.message}`, {
      flags: ['opaque'],
    });
  }
  for (const statement of script.commands) walkStatement(statement, context);
}

function walkStatement(statement: Statement, context: Context): void {
  spend(context);
  if (!statement.background) {
    walkNode(statement.command, context);
    return;
  }
  noteSyntax(context, statement, 'goes on in the background after the command ends');
  walkNode(statement.command, deeper(context, { scope: branchOff(context) }));
}

function walkList(list: CompoundList, context: Context): void {
  for (const statement of list.commands) walkStatement(statement, context);
}

/** Walks in a scope of its own and returns it. */
function walkAside(list: CompoundList, context: Context, from: Scope = context.scope): Scope {
  const scope = branchOff(context, from);
  walkList(list, deeper(context, { scope }));
  return scope;
}

function walkNode(node: Runnable, context: Context): void {
  switch (node.type) {
    case 'Command':
      judgeSimple(node, context);
      return;
    case 'Pipeline':
      walkPipeline(node, context);
      return;
    case 'AndOr':
      walkAndOr(node.commands, node.operators, context);
      return;
    case 'Subshell':
      walkAside(node.body, context);
      return;
    case 'BraceGroup':
      walkList(node.body, deeper(context));
      return;
    case 'If':
      walkIf(node, context);
      return;
    case 'While':
      walkWhile(node, context);
      return;
    case 'For':
      walkFor(node, context);
      return;
    case 'Case':
      walkCase(node, context);
      return;
    case 'ArithmeticCommand':
      if (!judgeReckoning(node.expression, context)) walkUnusual(node, context);
      return;
    case 'ArithmeticFor':
      walkArithmeticFor(node, context);
      return;
    case 'TestCommand':
      judgeTest(node.expression, context);
      return;
    case 'Redirected':
      walkNode(node.command, deeper(context));
      for (const redirect of node.redirects) judgeRedirect(redirect, 'compound', context);
      return;
    default:
      walkUnusual(node, context);
      return;
  }
}

/** `for ((i = 0; i < 5; i++))`, where all of it is numbers. */
function walkArithmeticFor(node: ArithmeticFor, context: Context): void {
  const { initialize, test, update } = node;
  const name = initialize && setByArithmetic(initialize);
  const starts =
    initialize?.type === 'ArithmeticBinary' && reckons(initialize.right, context.scope);
  if (!starts || name === undefined || isReservedVariable(name) || !test || !update) {
    walkUnusual(node, context);
    return;
  }
  forgetAssigned(node, context);
  context.scope.vars.set(name, { kind: 'number' });
  const harmless = [initialize, test, update].map((part) => judgeReckoning(part, context));
  if (!harmless.every(Boolean)) {
    walkUnusual(node, context);
    return;
  }
  walkAside(node.body, context);
  forgetAssigned(node, context);
}

/** Functions, coprocesses, arithmetic commands, select: never harmless, but looked through. */
function walkUnusual(node: Runnable, context: Context): void {
  if (node.type === 'ArithmeticFor') context.report.addFlags(['unbounded']);
  noteSyntax(context, node, UNUSUAL[node.type] ?? 'uses syntax that is not followed');
  const scope = branchOff(context);
  const { names, numbers } = assignedNames(node, context);
  forget(scope, names, numbers);
  searchStatements(node, deeper(context, { scope }));
  forgetAssigned(node, context);
}

const UNUSUAL: Readonly<Record<string, string>> = {
  Function: 'defines a function',
  Coproc: 'starts a process in the background',
  ArithmeticCommand: 'evaluates arithmetic',
  ArithmeticFor: 'loops over evaluated arithmetic',
  Select: 'waits for an answer',
};

function searchStatements(node: SyntaxNode, context: Context): void {
  spend(context);
  forEachChild(node, (child) => {
    if (child.type === 'Statement') walkStatement(child, deeper(context));
    else if (child.type === 'Command') judgeSimple(child, deeper(context));
    else if (child.type === 'Word' || child.type.startsWith('Arithmetic')) {
      searchBelow(child, deeper(context));
    } else searchStatements(child, deeper(context));
  });
}

function walkPipeline(pipeline: Pipeline, context: Context): void {
  const alone = pipeline.commands.length === 1;
  let { input } = context;
  for (const command of pipeline.commands) {
    const scope = alone ? context.scope : branchOff(context);
    walkNode(command, deeper(context, { scope, input }));
    if (!alone) input = outputOf(command, input, context);
  }
}

/** What comes out of a command of a pipe, as the next one takes it. */
function outputOf(command: Runnable, input: Input, context: Context): Input {
  const came = input.kind === 'pipe' && input.settings;
  if (command.type === 'Command') {
    const from = wordsOf(command, context);
    return { kind: 'pipe', from, settings: carriesSettings(from, came) };
  }
  return { kind: 'pipe', from: [], settings: came || settingsBelow(command) };
}

function wordsOf(
  command: Extract<Runnable, { type: 'Command' }>,
  context: Context,
): readonly Value[] {
  const words = [command.name, ...command.args].filter((word) => word?.type === 'Word');
  const aside = deeper(context, { scope: branchOff(context) });
  return words.flatMap((word) => (word?.type === 'Word' ? expandWord(word, aside) : []));
}

/**
 * `a && b` runs b after a. Once there was an `||` it is open which of the parts ran, so whatever
 * follows starts from what all of them agree on.
 */
function walkAndOr(
  commands: readonly Runnable[],
  operators: readonly ('&&' | '||')[],
  context: Context,
): void {
  const current = branchOff(context);
  let possible: Scope | undefined;
  let open = false;
  commands.forEach((command, index) => {
    if (index > 0) possible = joined(context, current, possible);
    open ||= operators[index - 1] === '||';
    if (open && possible) Object.assign(current, branchOff(context, possible));
    // `cd x && y`: y only runs where x was reached.
    else if (current.entered && commands[index - 1]?.type === 'Command') {
      current.here = current.entered;
    }
    current.entered = undefined;
    walkNode(command, deeper(context, { scope: current }));
  });
  joinInto(context.scope, possible ? [possible, current] : [current]);
}

/** What two ways through a line agree on. */
function joined(context: Context, one: Scope, other: Scope | undefined): Scope {
  const scope = branchOff(context, one);
  if (other) joinInto(scope, [other, one]);
  return scope;
}

function walkIf(node: If, context: Context): void {
  walkList(node.clause, deeper(context));
  const branches = [walkAside(node.then, context)];
  let before = context.scope;
  for (const elif of node.elif) {
    before = walkAside(elif.clause, context, before);
    branches.push(walkAside(elif.then, context, before));
  }
  branches.push(node.else ? walkAside(node.else, context, before) : branchOff(context, before));
  joinInto(context.scope, branches);
}

function walkWhile(node: While, context: Context): void {
  forgetAssigned(node, context);
  walkList(node.clause, deeper(context));
  walkAside(node.body, context);
  forgetAssigned(node, context);
  const endless = node.clause.commands.every((statement) => isConstant(statement, node.kind));
  if (endless) context.report.addFlags(['unbounded']);
}

function isConstant(statement: Statement, kind: While['kind']): boolean {
  const { command } = statement;
  if (command.type !== 'Command') return false;
  return (kind === 'while' ? /^(true|:|sleep)$/ : /^false$/).test(command.name?.value ?? '');
}

function walkFor(node: For, context: Context): void {
  const name = node.name.value;
  if (isReservedVariable(name))
    noteSyntax(context, node.name, `loops over the shell's own ${name}`);
  if (node.wordlist === undefined) {
    noteSyntax(context, node.name, 'loops over arguments nobody gave');
  }
  const values = (node.wordlist ?? []).flatMap((word) => loopItems(word, context));
  forgetAssigned(node, context);
  for (const known of loopValues(values)) {
    const scope = branchOff(context);
    scope.vars.set(name, known);
    walkList(node.body, deeper(context, { scope }));
  }
  forget(context.scope, [name]);
}

/** A loop over literal words is judged once for each of them. */
function loopValues(values: readonly Known[]): readonly Known[] {
  if (values.length > MAX_LOOP_VALUES) return [{ kind: 'unknown' }];
  return values.length === 0 ? [{ kind: 'unknown' }] : values;
}

function walkCase(node: Case, context: Context): void {
  expandWord(node.word, context);
  const branches = [branchOff(context)];
  for (const item of node.items) {
    for (const pattern of item.pattern) expandWord(pattern, context);
    branches.push(walkAside(item.body, context));
  }
  joinInto(context.scope, branches);
  // `;&` runs several bodies after one another.
  forgetAssigned(node, context);
}

function forgetAssigned(node: SyntaxNode, context: Context): void {
  const { names, numbers, moves } = assignedNames(node, context);
  forget(context.scope, names, numbers);
  if (moves) forgetDirectory(context.scope);
}

/** Seeing one node of the tree without judging it. */
const NODE_VISIT = 0.2;
const SETTERS =
  /^(command|read|mapfile|readarray|printf|export|declare|typeset|local|unset|getopts)$/;
const MOVERS = /^(cd|pushd|popd|eval|\.|source)$/;

/** The variables any part of a construct may set, and whether it may change the directory. */
interface Assigned {
  readonly names: ReadonlySet<string>;
  /** Those of them that are only ever set to numbers. */
  readonly numbers: ReadonlySet<string>;
  readonly moves: boolean;
}

function assignedNames(node: SyntaxNode, context: Context): Assigned {
  const numbers = new Set<string>();
  const others = new Set<string>();
  let moves = false;
  const visit = (child: SyntaxNode): void => {
    spend(context, NODE_VISIT);
    const number = numberSetBy(child, context.scope);
    if (number !== undefined) numbers.add(number);
    for (const name of otherSetBy(child, context.scope)) others.add(name);
    moves ||= child.type === 'Command' && wordsIn(child).some((word) => MOVERS.test(word));
    forEachChild(child, visit);
  };
  visit(node);
  const names = new Set([...numbers, ...others]);
  return { names, numbers: new Set([...numbers].filter((name) => !others.has(name))), moves };
}

function numberSetBy(node: SyntaxNode, scope: Scope): string | undefined {
  if (node.type === 'Assignment') return setsNumber(node, scope) ? node.name : undefined;
  if (node.type !== 'ArithmeticBinary' && node.type !== 'ArithmeticUnary') return undefined;
  return setByArithmetic(node);
}

function otherSetBy(node: SyntaxNode, scope: Scope): readonly string[] {
  switch (node.type) {
    case 'Assignment':
      return setsNumber(node, scope) ? [] : [node.name];
    case 'For':
    case 'Select':
      return [node.name.value];
    case 'Command':
      return SETTERS.test(node.name?.value ?? '') ? wordsIn(node) : [];
    default:
      return [];
  }
}

function wordsIn(command: Command): readonly string[] {
  return [command.name, ...command.args].map(wordText);
}

/** `n=$((n+1))`, `n=0`: whatever n held before, it is a number afterwards. */
function setsNumber(assignment: Assignment, scope: Scope): boolean {
  const { value, append, index } = assignment;
  return !append && !index && value.type === 'Word' && isNumberWord(value, withoutVariables(scope));
}

function withoutVariables(scope: Scope): Scope {
  return { vars: new Map(), directories: scope.directories };
}

function wordText(word: Command['name'] | Assignment): string {
  if (word === undefined) return '';
  return word.type === 'Word' ? word.value : word.name;
}
