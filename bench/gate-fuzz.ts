import { parseArgs } from 'node:util';
import { classify } from '../shared/gate/classify.ts';
import { PROGRAMS } from '../shared/gate/commands/index.ts';
import { BASH_FACTS } from '../shared/gate/facts.ts';
import { chanceFrom, mutate } from './gate-fuzz-mutate.ts';
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

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      lines: { type: 'string', default: '500' },
      seed: { type: 'string', default: String(Date.now() % 2 ** 31) },
    },
  });
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
