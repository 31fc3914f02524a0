import { createInterface } from 'node:readline';
import type { Command } from 'commander';
import { z } from 'zod';
import type { GateResult } from '../shared/domain/gate-result.ts';
import { RISK_CLASSES } from '../shared/domain/risk.ts';
import { classify } from '../shared/gate/classify.ts';
import { BASH_FACTS, type GateFacts } from '../shared/gate/facts.ts';
import { classifyTree } from './classify-tree.ts';

const TARGET = /^(host|lxc|vm):[^\s]+$/;

/** One line of `oikos classify --jsonl`. */
const LINE = z.strictObject({
  command: z.string(),
  declared_risk: z.enum(RISK_CLASSES).optional(),
  target: z.string().regex(TARGET).optional(),
});

/** What `oikos classify --jsonl` answers for one line. */
interface ClassifiedLine {
  readonly risk_class: string;
  readonly reasons: readonly string[];
  readonly flags: readonly string[];
  /** Guests as `lxc:135`, or `unknown`. */
  readonly touches: readonly string[] | 'unknown';
  /** Verb and object of the sentence to type. */
  readonly confirm?: string;
  readonly hint?: string;
}

/** Adds `oikos classify` to the command line. */
export function registerClassify(program: Command): void {
  program
    .command('classify')
    .description('Says how the gate judges a command line, and why.')
    .argument('[command]', 'the command line, as one argument')
    .option('--target <slug>', 'where it would run: host:name, lxc:name or vm:name')
    .option('--jsonl', 'read one JSON object a line from standard input')
    .action(async (command: string | undefined, options: Options) => {
      if (options.jsonl) await classifyLines();
      else if (command !== undefined) printTree(command, options.target);
      else throw new NothingToClassify();
    });
}

interface Options {
  readonly target?: string;
  readonly jsonl?: true;
}

/** Neither a command nor --jsonl was given. */
export class NothingToClassify extends Error {
  override readonly name = 'NothingToClassify';

  constructor() {
    super('give a command line, or --jsonl');
  }
}

async function classifyLines(): Promise<void> {
  const lines = createInterface({ input: process.stdin, crlfDelay: Number.POSITIVE_INFINITY });
  let failed = false;
  for await (const line of lines) {
    if (line.trim() === '') continue;
    const answer = answerLine(line);
    failed ||= 'error' in answer;
    const ready = process.stdout.write(`${JSON.stringify(answer)}\n`);
    if (!ready) await new Promise((resolve) => process.stdout.once('drain', resolve));
  }
  if (failed) process.exitCode = 1;
}

/** The answer to one line of input; a line that is not of the known form answers with an error. */
export function answerLine(line: string): ClassifiedLine | { readonly error: string } {
  const parsed = LINE.safeParse(parseJson(line));
  if (!parsed.success) return { error: z.prettifyError(parsed.error).replace(/\s+/g, ' ') };
  const { command, declared_risk: declaredRisk, target } = parsed.data;
  const result = classify({
    command,
    facts: factsFor(target),
    ...(declaredRisk === undefined ? {} : { declaredRisk }),
  });
  return toLine(result, target);
}

/** The value, or undefined (which no form accepts) when the text is no JSON. */
function parseJson(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

function factsFor(target: string | undefined): GateFacts {
  const kind = target === undefined ? undefined : TARGET.exec(target)?.[1];
  if (kind !== 'host' && kind !== 'lxc' && kind !== 'vm') return BASH_FACTS;
  return { ...BASH_FACTS, targetKind: kind };
}

function toLine(result: GateResult, target: string | undefined): ClassifiedLine {
  const confirm = confirmText(result, target);
  return {
    risk_class: result.risk,
    reasons: reasonsOf(result),
    flags: result.flags,
    touches: touchesOf(result),
    ...(confirm === undefined ? {} : { confirm }),
    ...(result.hint === undefined ? {} : { hint: result.hint }),
  };
}

function reasonsOf(result: GateResult): readonly string[] {
  return [...new Set(result.parts.map((part) => `${part.rule}: ${part.why}`))];
}

function touchesOf(result: GateResult): readonly string[] | 'unknown' {
  if (result.touches === 'unknown') return 'unknown';
  return result.touches.map((slug) => slug.replace('/', ':'));
}

/** The sentence's verb and object. Without a target its own name cannot be filled in. */
function confirmText(result: GateResult, target: string | undefined): string | undefined {
  if (result.confirm === undefined) return undefined;
  const { verb, object } = result.confirm;
  if (object !== '@target') return `${verb} ${object}`;
  return target === undefined ? undefined : `${verb} ${target.replace(/^[a-z]+:/, '')}`;
}

const USUAL_COLUMNS = 80;

function printTree(command: string, target: string | undefined): void {
  const result = classify({ command, facts: factsFor(target) });
  const columns = process.stdout.columns ?? USUAL_COLUMNS;
  const style = { columns, confirm: confirmText(result, target), touches: touchesOf(result) };
  for (const line of classifyTree(result, style)) console.log(line);
}
