import { parseArgs } from 'node:util';
import { classify } from '../shared/gate/classify.ts';
import { PROGRAMS } from '../shared/gate/commands/index.ts';
import { BASH_FACTS } from '../shared/gate/facts.ts';
import { chanceFrom, mutate } from './gate-fuzz-mutate.ts';
import { canBeWrapped, disguise } from './gate-hostile-mutate.ts';
import { corpus, runAll, whyNoSandbox } from './gate-sandbox.ts';

interface FuzzOutcome {
  readonly tried: number;
  readonly ran: number;
  /** The longest time one verdict took of the processor, in milliseconds. */
  readonly slowestMs: number;
  /** Lines the gate called read_only that ran the forbidden program or made a file. */
  readonly violations: readonly { line: string; why: string }[];
}

/**
 * Mutates everyday lines until `lines` of them are called read_only, and lets real bash say what
 * those do. Needs root (see whyNoSandbox). `judge` stands for the gate; a test breaks it on purpose.
 */
export async function fuzz(options: {
  readonly lines: number;
  readonly seed: number;
  readonly judge?: (command: string) => boolean;
}): Promise<FuzzOutcome> {
  const everyday = corpus('everyday');
  const chance = chanceFrom(options.seed);
  const accepts = options.judge ?? isReadOnly;
  const seen = new Set<string>();
  const accepted: string[] = [];
  let slowestMs = 0;
  let tried = 0;
  while (accepted.length < options.lines && tried < options.lines * 200) {
    tried++;
    const line = mutate(everyday, chance);
    if (line === '' || seen.has(line)) continue;
    seen.add(line);
    const start = process.threadCpuUsage();
    const harmless = accepts(line);
    slowestMs = Math.max(slowestMs, milliseconds(process.threadCpuUsage(start)));
    if (harmless) accepted.push(line);
  }
  const programs = PROGRAMS.flatMap((program) => program.names);
  const violations = await runAll(accepted, programs);
  return { tried, ran: accepted.length, slowestMs, violations };
}

/** Time of the processor: other processes on the machine do not count. */
function milliseconds(spent: { user: number; system: number }): number {
  return (spent.user + spent.system) / 1000;
}

function isReadOnly(command: string): boolean {
  return classify({ command, facts: BASH_FACTS }).risk === 'read_only';
}

/** Disguises hostile lines `times` times and prints those that are called read_only then. */
function fuzzHostile(times: number, seed: number): number {
  const lines = corpus('hostile').filter((line) => !line.includes('⟦') && canBeWrapped(line));
  const chance = chanceFrom(seed);
  let violations = 0;
  for (let i = 0; i < times; i++) {
    const line = lines[Math.floor(chance() * lines.length)] ?? '';
    const command = disguise(line, chance);
    if (!isReadOnly(command)) continue;
    violations++;
    console.log(`read_only\t${JSON.stringify(line)}\t${JSON.stringify(command)}`);
  }
  return violations;
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      lines: { type: 'string', default: '500' },
      disguises: { type: 'string', default: '50000' },
      seed: { type: 'string', default: String(Date.now() % 2 ** 31) },
    },
  });
  const read = fuzzHostile(Number(values.disguises), Number(values.seed));
  console.log(`${values.disguises} hostile lines in disguise, ${read} called read_only`);
  if (read > 0) process.exitCode = 1;
  const missing = whyNoSandbox();
  if (missing !== undefined) {
    console.error(`The fuzzer cannot run: ${missing}.`);
    process.exitCode = 2;
    return;
  }
  const outcome = await fuzz({ lines: Number(values.lines), seed: Number(values.seed) });
  for (const { line, why } of outcome.violations) console.log(`${why}\t${JSON.stringify(line)}`);
  console.log(
    `seed ${values.seed}: ${outcome.tried} lines tried, ${outcome.ran} called read_only and run, ` +
      `${outcome.violations.length} violations, slowest verdict ${outcome.slowestMs.toFixed(1)} ms`,
  );
  if (outcome.violations.length > 0) process.exitCode = 1;
}

if (import.meta.main) await main();
