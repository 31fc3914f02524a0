import { createInterface } from 'node:readline';
import type { Command } from 'commander';
import { assess } from '../bot/assent/assent.ts';
import { type AssentCase, assentCaseSchema, buildCase, describeScope } from './assent-states.ts';
import { parseJson } from './parse-json.ts';

/** `oikos assent --jsonl`: what the bot would make of a message, one JSON object a line. */
export function registerAssent(program: Command): void {
  program
    .command('assent')
    .description('Show what counts as a yes: reads messages as JSON lines, writes verdicts.')
    .requiredOption('--jsonl', 'one JSON object a line: state, kind, from, when, message')
    .action(async () => {
      for await (const line of createInterface({ input: process.stdin })) {
        if (line.trim() !== '') console.log(JSON.stringify(answer(line)));
      }
    });
}

/** A line that is no case is answered with its error, so that lines and answers stay in step. */
function answer(line: string): object {
  const parsed = assentCaseSchema.safeParse(parseJson(line));
  return parsed.success
    ? judge(parsed.data)
    : { error: parsed.error.issues[0]?.message ?? 'invalid' };
}

/** A hold is labelled `neither`: nothing is decided. */
export function judge(row: AssentCase): { label: string; scope: string; reason: string } {
  const { said, cards } = buildCase(row);
  const assessment = assess(said, cards);
  const label = assessment.label === 'hold' ? 'neither' : assessment.label;
  return { label, scope: describeScope(assessment, cards), reason: assessment.reason };
}
