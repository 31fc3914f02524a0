import { fileURLToPath } from 'node:url';
import type { Command } from 'commander';
import { checkLine, somethingFails } from '../check.ts';
import type { CommandDeps } from '../command-deps.ts';

/** The file that every npm script reads. */
const ENV_FILE = fileURLToPath(new URL('../../.env', import.meta.url));

interface LoginOptions {
  readonly homeserver?: string;
  readonly user?: string;
  readonly print?: true;
  readonly to: string;
}

/** Adds `oikos matrix login` and `oikos matrix check` to the command line. */
export function registerMatrix(program: Command, deps: CommandDeps): void {
  const matrix = program.command('matrix').description("The bot's Matrix account.");
  matrix
    .command('login')
    .description("Log the bot's account in with its password and keep its token in .env.")
    .option('--homeserver <url>', 'default: MATRIX_HOMESERVER_URL')
    .option('--user <name>', 'default: MATRIX_USER')
    .option('--print', 'print the two lines instead of writing .env')
    // Not --env-file: Node takes that for itself, wherever it stands.
    .option('--to <file>', 'the file to write', ENV_FILE)
    .action(async ({ homeserver, user, print, to }: LoginOptions) => {
      const { logIn } = await import('./login.ts');
      const ask = { homeserver, user, envFile: print ? undefined : to };
      if (!(await logIn(ask, { ...deps, fetch }))) process.exitCode = 1;
    });
  matrix
    .command('check')
    .description('Is the homeserver there, is the token valid, who would be heard?')
    .action(async () => {
      const { checkMatrix } = await import('./check.ts');
      const checks = await checkMatrix(deps.env, { fetch });
      for (const check of checks) deps.terminal.say(checkLine(check));
      if (somethingFails(checks)) process.exitCode = 1;
    });
}
