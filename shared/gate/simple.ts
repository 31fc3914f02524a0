import type {
  ArrayValue,
  Assignment,
  Command,
  HereDoc,
  HereString,
  Redirect,
  Redirection,
  Word,
} from 'unbash';
import { branchOff, type Context, deeper, noteSyntax, segmentOf } from './context.ts';
import { isReservedVariable, isSafeEnvironment } from './environment.ts';
import { searchBelow } from './expansions.ts';
import { closedUp } from './globs.ts';
import { loopItems } from './items.ts';
import { printsNothing } from './nothing.ts';
import { isNumberWord } from './numbers.ts';
import { type Directory, normalise } from './places.ts';
import { judgeRedirect } from './redirects.ts';
import type { Input } from './rule.ts';
import { forget, forgetDirectory, type Known, receive, type Scope } from './scope.ts';
import { literal, PLAIN_OUTPUT, type Value } from './value.ts';
import { expandWord } from './words.ts';
import { readsScript } from './wrappers/shells.ts';

/** Judges a simple command: its assignments, its words, its redirections. */
export function judgeSimple(command: Command, context: Context): void {
  for (const part of command.prefix) {
    if (part.type === 'Assignment') assign(part, command.name !== undefined, context);
  }
  const argv = command.name ? expandAll(command.name, command, context) : [];
  const input = inputOf(command, context);
  const role = roleOf(command, argv, input);
  for (const redirect of command.redirects) judgeRedirect(redirect, role, context);
  if (command.name === undefined) {
    if (command.prefix.length === 0 && command.redirects.length === 0) {
      noteSyntax(context, command, 'is an empty command');
    }
    return;
  }
  context.engine.argv(argv, { ...context, input }, segmentOf(command, context));
  const closed = argv.map(closedUp);
  if (closed.some((word, index) => word !== argv[index])) {
    context.engine.argv(closed, { ...context, input }, segmentOf(command, context));
  }
  if (!isOpened(argv, input)) shellInput(command, argv, context);
  followBuiltin(argv, context.scope);
  readField(argv, input, context.scope);
}

function expandAll(name: Word, command: Command, outer: Context): readonly Value[] {
  const context = { ...outer, comparing: /^(diff|comm|cmp)$/.test(name.value) };
  const values = [...expandWord(name, context)];
  const tests = /^(test|\[)$/.test(name.value);
  for (const [i, arg] of command.args.entries()) {
    const before = command.args[i - 1];
    const asking = tests && before?.type === 'Word' && /^-[nz]$/.test(before.text);
    if (arg.type === 'Word') values.push(...expandWord(arg, { ...context, asking }));
    else if (name.value === 'export' && isDisplayOnly(arg, context)) values.push(literal(arg.text));
    else {
      noteSyntax(context, arg, 'assigns a variable as an argument');
      searchBelow(arg, context);
      forget(context.scope, [arg.name]);
      values.push(literal(arg.text));
    }
  }
  return values;
}

/** `export LC_ALL=C`: for the commands that follow, what `LC_ALL=C ls` is for one. */
function isDisplayOnly({ name, value, append, index }: Assignment, context: Context): boolean {
  if (append || index || value.type !== 'Word') return false;
  const [only, ...more] = expandWord(value, context);
  return more.length === 0 && isSafeEnvironment(name, only?.text);
}

/** What a redirection would do to a file depends on whether anything is written to it. */
function roleOf(command: Command, argv: readonly Value[], input: Input): 'nothing' | 'command' {
  return command.name === undefined || printsNothing(argv, input) ? 'nothing' : 'command';
}

function inputOf(command: Command, context: Context): Input {
  let input = context.input;
  for (const redirect of command.redirects) {
    if (redirect.type !== 'Redirect') input = heredocInput(redirect, command, context);
    else if (redirect.operator === '<') {
      input =
        redirect.target?.value === '/dev/null' ? { kind: 'null' } : fileInput(redirect, context);
    }
  }
  return input;
}

/** A here-document nothing is expanded in is known to the letter. */
function heredocInput(redirect: HereDoc | HereString, command: Command, context: Context): Input {
  const alone = command.redirects.every((each) => each === redirect || onlyWrites(each));
  if (!alone || redirect.descriptor) return { kind: 'text' };
  if (redirect.type === 'HereString') {
    const [value, ...more] = redirect.target ? expandWord(redirect.target, context) : [];
    if (value?.text === undefined || more.length > 0) return { kind: 'text' };
    return { kind: 'text', script: `${value.text}\n` };
  }
  if (!redirect.delimiter?.quoted && /[$`\\]/.test(redirect.body.text)) return { kind: 'text' };
  const tabs = redirect.operator === '<<-';
  return { kind: 'text', script: redirect.body.text.replace(tabs ? /^\t+/gm : /^$/, '') };
}

function onlyWrites(redirect: Redirection): boolean {
  return redirect.type === 'Redirect' && /^(>>?|&>>?|>&)$/.test(redirect.operator);
}

function fileInput(redirect: Redirect, context: Context): Input {
  const [file, ...more] = redirect.target ? expandWord(redirect.target, context) : [];
  return file === undefined || more.length > 0 ? { kind: 'text' } : { kind: 'text', file };
}

function assign(assignment: Assignment, forCommand: boolean, context: Context): void {
  if (assignment.index && !/^\d+$/.test(assignment.index.text)) {
    noteSyntax(context, assignment, 'evaluates an array index');
    searchBelow(assignment.index, context);
  }
  const value = assignedValue(assignment, context);
  const { name } = assignment;
  if (forCommand) {
    const text = value.kind === 'text' ? value.text : undefined;
    if (!isSafeEnvironment(name, text))
      noteSyntax(context, assignment, `sets ${name} for a command`);
    return;
  }
  if (isReservedVariable(name)) noteSyntax(context, assignment, `sets the shell's own ${name}`);
  context.scope.vars.set(name, assignment.append || assignment.index ? { kind: 'unknown' } : value);
}

function assignedValue(assignment: Assignment, context: Context): Known {
  const { value: given } = assignment;
  if (given.type === 'ArrayValue') return assignedList(given, assignment, context);
  const [value, ...more] = expandWord(given, context);
  if (more.length > 0) return { kind: 'unknown' };
  if (value?.text !== undefined) return { kind: 'text', text: value.text };
  // It may be nothing or several numbers: a name that splits where it is not quoted.
  if (value?.pattern === PLAIN_OUTPUT) return { kind: 'file', pattern: PLAIN_OUTPUT, prefix: '' };
  return isNumberWord(given, context.scope) ? { kind: 'number' } : { kind: 'unknown' };
}

const MAX_ITEMS = 32;

/** `hosts=(a b c)`; `([$(x)]=a)` evaluates what is in the brackets. */
function assignedList(list: ArrayValue, assignment: Assignment, context: Context): Known {
  const indexed = list.elements.some((element) => element.text.startsWith('['));
  if (indexed || assignment.append || list.elements.length > MAX_ITEMS) {
    noteSyntax(context, assignment, 'assigns an array');
  }
  const items = list.elements.flatMap((element) => loopItems(element, context));
  return { kind: 'list', items: indexed ? [{ kind: 'unknown' }] : items };
}

/** `bash -s <<'E'`: the shell's rule has opened what it is given. */
function isOpened(argv: readonly Value[], input: Input): boolean {
  return input.kind === 'text' && input.script !== undefined && readsScript(argv.slice(1));
}

/** A shell runs what it is given on its input. */
function shellInput(command: Command, argv: readonly Value[], context: Context): void {
  if (!/^(\/(usr\/)?bin\/)?(ba|da|a|z|k)?sh$/.test(argv[0]?.text ?? '')) return;
  for (const redirect of command.redirects) {
    if (redirect.type === 'Redirect') continue;
    const text = redirect.type === 'HereDoc' ? redirect.body.text : redirect.target?.value;
    const segment = segmentOf(redirect, context);
    const inner = { fixedSpan: segment.span, scope: branchOff(context) };
    if (text) context.engine.text(text, deeper(context, inner));
    noteSyntax(context, redirect, 'is run by the shell it is given to', { flags: ['opaque'] });
  }
}

/** `command cd x` changes the directory like `cd x`. */
function withoutCommand(words: readonly (string | undefined)[]): readonly (string | undefined)[] {
  const at = words.findIndex((word) => word !== 'command' && word !== '-p' && word !== '--');
  return words[0] === 'command' ? words.slice(at < 0 ? words.length : at) : words;
}

/** `… | awk '{print $1}' | while read -r id`: a field of awk is one word without blanks. */
function readField(argv: readonly Value[], input: Input, scope: Scope): void {
  if (argv[0]?.text !== 'read' || input.kind !== 'pipe') return;
  const [awk, program, ...more] = input.from.map((word) => word.text);
  const prints = /^[^{}]*\{ ?print \$\d{1,2} ?\}$/.test(program ?? '');
  // These could put blanks into a field.
  const changes = /FS|sub\(|(^|[^=!<>])=([^=]|$)/.test(program ?? '');
  const names = argv.slice(1).filter((word) => word.text !== '-r');
  const name = names.length === 1 ? names[0]?.text : undefined;
  if (awk !== 'awk' || !prints || changes || more.length > 0 || !/^[a-z_]+$/.test(name ?? ''))
    return;
  if (name !== undefined) scope.vars.set(name, { kind: 'word', pattern: '**', prefix: '' });
}

/** What builtins change for the statements after them. */
function followBuiltin(argv: readonly Value[], scope: Scope): void {
  const [name, ...args] = withoutCommand(argv.map((value) => value.text));
  if (name === 'cd' || name === 'pushd' || name === 'popd') {
    changeDirectory(name, args, scope);
  } else if (name !== undefined && SETS_VARIABLES.has(name)) {
    const names = args.filter((arg) => arg !== undefined);
    // `read -t 0` only asks whether something waits, and leaves the variable as it was.
    const replaces = REPLACES_VARIABLES.test(name) && !names.some((word) => /^-\w*t/.test(word));
    (replaces ? receive : forget)(scope, names);
  } else if ((name === '.' || name === 'source') && RELEASE_FILE.test(args.join(' '))) {
    receive(scope, RELEASE_NAMES);
  } else if (name === 'eval' || name === '.' || name === 'source' || name === undefined) {
    forgetDirectory(scope);
    forget(scope, scope.vars.keys());
  }
}

const RELEASE_FILE = /^(\/etc|\/usr\/lib)\/(os|lsb)-release$/;
const RELEASE_NAMES: readonly string[] =
  'NAME PRETTY_NAME ID ID_LIKE VERSION VERSION_ID VERSION_CODENAME UBUNTU_CODENAME DEBIAN_VERSION_FULL DISTRIB_ID DISTRIB_RELEASE DISTRIB_CODENAME DISTRIB_DESCRIPTION'.split(
    ' ',
  );
const MAX_DIRECTORIES = 8;
/** A directory further down counts as unknown: every file would be looked for in each. */
const MAX_DIRECTORY_LENGTH = 128;

const REPLACES_VARIABLES = /^(read|mapfile|readarray|unset)$/;
const SETS_VARIABLES: ReadonlySet<string> = new Set(
  'read mapfile readarray getopts printf export declare local typeset readonly let unset'.split(
    ' ',
  ),
);

function changeDirectory(name: string, args: readonly (string | undefined)[], scope: Scope): void {
  const operands = args.filter((arg) => arg !== '--' && arg !== '-P' && arg !== '-L');
  const [target] = operands;
  const odd = name !== 'cd' || operands.length > 1 || target?.startsWith('-');
  if (odd || args.includes(undefined)) {
    forgetDirectory(scope);
    return;
  }
  const reachedFrom = (from: readonly Directory[]): readonly Directory[] =>
    (target === undefined || target.startsWith('/') ? [''] : from).map((directory) => {
      if (directory === undefined) return undefined;
      const path = normalise(`${directory}/${target ?? 'root'}`);
      return path.length > MAX_DIRECTORY_LENGTH ? undefined : path;
    });
  const reached = reachedFrom(scope.directories);
  scope.entered = [...new Set(reachedFrom(scope.here ?? scope.directories))];
  scope.here = undefined;
  // It may have failed, so the old place stays possible.
  scope.directories = [...new Set([...reached, ...scope.directories])].slice(0, MAX_DIRECTORIES);
}
