import type { Command } from 'commander';
import type { CommandDeps } from '../command-deps.ts';
import { readSettings } from '../settings.ts';

/** Adds `oikos rules` to the command line. */
export function registerRules(program: Command, deps: CommandDeps): void {
  const { terminal, env } = deps;
  const rules = program.command('rules').description('What operators always allow.');
  rules
    .command('list')
    .description('Show every rule that lets a command run at once.')
    .action(async () => {
      const { listRules } = await import('./rules.ts');
      const { withDatabase } = await import('../with-database.ts');
      const settings = readSettings(env, ['OIKOS_TIME_ZONE']);
      const timeZone = settings.ok ? settings.config.OIKOS_TIME_ZONE : 'UTC';
      await withDatabase(deps, async (db) => terminal.say(await listRules(db, timeZone)));
    });
  rules
    .command('revoke')
    .description('End a rule; the command asks again.')
    .argument('<rule>', 'its number, like R1')
    .action(async (named: string) => {
      const { revokeNamed } = await import('./rules.ts');
      const { withDatabase } = await import('../with-database.ts');
      await withDatabase(deps, async (db) => {
        const { done, line } = await revokeNamed(db, named);
        if (done) return terminal.say(line);
        terminal.complain(line);
        process.exitCode = 1;
      });
    });
}
