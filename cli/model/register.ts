import type { Command } from 'commander';
import { checkLine, somethingFails } from '../check.ts';
import type { CommandDeps } from '../command-deps.ts';

/** Adds `oikos model check` to the command line. */
export function registerModel(program: Command, { terminal, env }: CommandDeps): void {
  program
    .command('model')
    .description('The model that answers.')
    .command('check')
    .description('Does it answer, call tools, read whole prompts? Costs about 7000 tokens.')
    .action(async () => {
      const { checkModel } = await import('./check.ts');
      const checks = await checkModel(env, { fetch });
      for (const check of checks) terminal.say(checkLine(check));
      if (somethingFails(checks)) process.exitCode = 1;
    });
}
