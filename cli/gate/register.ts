import type { Command } from 'commander';
import type { CommandDeps } from '../command-deps.ts';
import { withDatabase } from '../with-database.ts';

/** Adds `oikos gate replay`. */
export function registerGate(program: Command, deps: CommandDeps): void {
  program
    .command('gate')
    .description('The gate and what it has judged.')
    .command('replay')
    .description(
      'Judge stored commands again by the present rules and settings; list what differs.',
    )
    .option('--since <span>', 'how far back: 12h, 30d, 4w', '30d')
    .option('--json', 'one JSON object a difference, one a line')
    .action((options: { readonly since: string; readonly json?: true }) => replay(deps, options));
}

async function replay(
  deps: CommandDeps,
  { since, json }: { readonly since: string; readonly json?: true },
): Promise<void> {
  const { replayGate, replayLines, spanMs } = await import('./replay.ts');
  const sinceMs = spanMs(since);
  if (sinceMs === undefined) {
    deps.terminal.complain(`✗ --since ${since}: write 12h, 30d or 4w`);
    process.exitCode = 1;
    return;
  }
  await withDatabase(deps, async (db) => {
    const found = await replayGate(db, sinceMs);
    if (json) for (const one of found.differences) deps.terminal.say(JSON.stringify(one));
    else for (const line of replayLines(found)) deps.terminal.say(line);
  });
}
