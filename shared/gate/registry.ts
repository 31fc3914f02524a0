import { PROGRAMS } from './commands/index.ts';
import type { Context } from './context.ts';
import { parseOptions } from './options.ts';
import type { Call, Program, Rule } from './rule.ts';
import { isNoOption, type Value } from './value.ts';

/** Two entries for one name would hide each other's rules. */
export class DuplicateProgram extends Error {
  override readonly name = 'DuplicateProgram';
}

const BY_NAME: ReadonlyMap<string, Program> = index(PROGRAMS);

function index(programs: readonly Program[]): ReadonlyMap<string, Program> {
  const byName = new Map<string, Program>();
  for (const program of programs) {
    for (const name of program.names) {
      if (byName.has(name)) throw new DuplicateProgram(name);
      byName.set(name, program);
    }
  }
  return byName;
}

const DESTRUCTIVE_WORDS: ReadonlySet<string> = new Set(
  PROGRAMS.filter((program) => program.rules.some((rule) => rule.class === 'destructive')).flatMap(
    (program) => program.names,
  ),
);

/** What is known about a program. */
export function programOf(name: string): Program | undefined {
  return BY_NAME.get(name);
}

/** Whether a program of this name (or path) has destructive uses. */
export function isDestructiveWord(word: string): boolean {
  return DESTRUCTIVE_WORDS.has(word.slice(word.lastIndexOf('/') + 1));
}

/** The call as the rule sees it, or undefined when the rule's verb is another. */
export function callFor(
  program: Program,
  rule: Rule,
  name: string,
  args: readonly Value[],
  context: Pick<Context, 'facts' | 'input' | 'place' | 'policy' | 'scope'>,
): Call | undefined {
  const harmless = rule.class === 'read_only' || rule.class === 'reversible_low';
  const rest = harmless ? afterExactVerb(program, rule, args) : afterLikelyVerb(rule, args);
  if (rest === undefined) return undefined;
  return {
    program: name,
    args: rest,
    directories: context.scope.directories,
    input: context.input,
    policy: context.policy,
    facts: context.place === undefined ? context.facts : { shell: context.facts.shell },
  };
}

/** For harmless uses: known global options, then exactly the verb. */
function afterExactVerb(
  program: Program,
  rule: Rule,
  args: readonly Value[],
): readonly Value[] | undefined {
  if (rule.verb.length === 0) return args;
  let words = args;
  if (program.globals && args[0]?.text !== rule.verb[0]) {
    const parsed = parseOptions({ ...program.globals, stopAtOperand: true }, args);
    if ('because' in parsed) return undefined;
    words = parsed.operands;
  }
  const found = rule.verb.every((verb, i) => words[i]?.text === verb);
  return found ? words.slice(rule.verb.length) : undefined;
}

/**
 * For harmful uses: the verb's words one after another among the operands. It may stand later by as
 * many operands as there were options before it, since each of those may have taken a value.
 */
function afterLikelyVerb(rule: Rule, args: readonly Value[]): readonly Value[] | undefined {
  if (rule.verb.length === 0) return args;
  let options = 0;
  let operands = 0;
  for (let i = 0; i < args.length; i++) {
    const arg = args[i];
    if (arg?.text !== undefined && !isNoOption(arg)) {
      if (matchesFrom(rule.verb, args, i)) return args.slice(i + rule.verb.length);
      options++;
      continue;
    }
    if (matchesFrom(rule.verb, args, i)) return args.slice(i + rule.verb.length);
    if (++operands > options) return undefined;
  }
  return undefined;
}

function isOperand(arg: Value | undefined): boolean {
  return arg !== undefined && isNoOption(arg);
}

function matchesFrom(verb: readonly string[], args: readonly Value[], from: number): boolean {
  if (args[from]?.text !== verb[0]) return false;
  let at = from;
  for (const word of verb.slice(1)) {
    do at++;
    while (at < args.length && !isOperand(args[at]));
    if (args[at]?.text !== word) return false;
  }
  return true;
}

/** The destructive rule whose verb a word shortens: `pct des 101` destroys like `pct destroy 101`. */
export function abbreviatedRule(program: Program, args: readonly Value[]): Rule | undefined {
  const word = args.find(isNoOption)?.text;
  if (!word || program.rules.some((rule) => rule.verb[0] === word)) return undefined;
  return program.rules.find(
    (rule) => rule.class === 'destructive' && rule.verb[0]?.startsWith(word),
  );
}
