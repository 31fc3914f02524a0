import type { Command } from 'commander';
import type { CommandDeps } from '../command-deps.ts';

/** Adds `oikos rules` to the command line. */
export function registerRules(program: Command, { terminal, env }: CommandDeps): void {
  const rules = program.command('rules').description('What operators always allow.');
  rules
    .command('list')
    .description('Show every rule that lets a command run at once.')
    .action(async () => {
      const { listRules } = await import('./rules.ts');
      terminal.say(await listRules(env));
    });
  rules
    .command('revoke')
    .description('End a rule; the command asks again.')
    .argument('<rule>', 'its number, like R1')
    .action(async (named: string) => {
      const { revokeNamed } = await import('./rules.ts');
      const { done, line } = await revokeNamed(env, named);
      if (done) terminal.say(line);
      else {
        terminal.complain(line);
        process.exitCode = 1;
      }
    });
}
