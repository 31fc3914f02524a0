import type { Command } from 'commander';
import type { CommandDeps } from '../command-deps.ts';
import { readSettings } from '../settings.ts';

/** Adds `oikos seal init` and `oikos seal rotate` to the command line. */
export function registerSeal(program: Command, deps: CommandDeps): void {
  const seal = program
    .command('seal')
    .description('The key that bot and daemon seal with what lets a command run.');
  seal
    .command('init')
    .description('Make SEAL_KEY_FILE, readable by you alone. An existing one is left as it is.')
    .action(() => init(deps));
  seal
    .command('rotate')
    .description('Put a new key first; the old ones still verify. Then restart bot and daemon.')
    .action(() => rotate(deps));
}

async function init(deps: CommandDeps): Promise<void> {
  const path = keyPath(deps);
  if (path === undefined) return;
  const { makeSealKeys, readSealKeys } = await import('../../shared/seal-keys.ts');
  const made = makeSealKeys(path);
  const [newest] = readSealKeys(path);
  deps.terminal.say(
    made
      ? `Made ${path}. Give bot and daemon this same file; keep it out of the database's backups.`
      : `${path} is there already and can be used; its newest key is ${newest.id}.`,
  );
}

async function rotate(deps: CommandDeps): Promise<void> {
  const path = keyPath(deps);
  if (path === undefined) return;
  const { addSealKey } = await import('../../shared/seal-keys.ts');
  const id = addSealKey(path);
  deps.terminal.say(
    `${path} seals with ${id} from the next start on. Restart bot and daemon; after a day, when no card of before waits any more, remove the older lines.`,
  );
}

function keyPath({ env, terminal }: CommandDeps): string | undefined {
  const settings = readSettings(env, ['SEAL_KEY_FILE']);
  if (settings.ok) return settings.config.SEAL_KEY_FILE;
  for (const problem of settings.problems) terminal.complain(problem);
  process.exitCode = 1;
  return undefined;
}
