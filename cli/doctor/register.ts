import type { Command } from 'commander';
import { checkLine, somethingFails } from '../check.ts';
import type { CommandDeps } from '../command-deps.ts';

/** Adds `oikos doctor` to the command line. */
export function registerDoctor(program: Command, { terminal, env }: CommandDeps): void {
  program
    .command('doctor')
    .description('Look at everything that Oikos needs, and say what to do.')
    .option('--no-model', 'do not ask the model (saves about 7000 tokens)')
    .action(async ({ model }: { readonly model: boolean }) => {
      const { examine } = await import('./doctor.ts');
      const sections = await examine(env, { model });
      for (const { title, checks } of sections) {
        terminal.say(title);
        for (const check of checks) terminal.say(`  ${checkLine(check)}`);
      }
      const missing = sections.filter(({ checks }) => somethingFails(checks));
      if (missing.length === 0) return;
      terminal.complain(`Something is missing: ${missing.map(({ title }) => title).join(', ')}.`);
      process.exitCode = 1;
    });
}
