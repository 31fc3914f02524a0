import type { Command } from 'commander';
import type { CommandDeps } from '../command-deps.ts';

interface DecideOptions {
  readonly phrase?: string;
  readonly room?: string;
}

/** Adds `oikos approvals list|approve|deny`, and `oikos approve|deny` for short. */
export function registerApprovals(program: Command, deps: CommandDeps): void {
  const approvals = program
    .command('approvals')
    .description('Cards that wait; deciding needs a token (oikos token create) in OIKOS_TOKEN.');
  approvals
    .command('list')
    .description('Show what waits.')
    .action(async () => {
      const { listApprovals } = await import('./decide.ts');
      if (!(await listApprovals({ ...deps, fetch }))) process.exitCode = 1;
    });
  for (const parent of [approvals, program]) {
    decideCommand(parent, deps, 'approve', 'granted');
    decideCommand(parent, deps, 'deny', 'denied');
  }
}

function decideCommand(
  parent: Command,
  deps: CommandDeps,
  name: string,
  decision: 'granted' | 'denied',
): void {
  const command = parent
    .command(name)
    .description(decision === 'granted' ? 'Say yes to a card.' : 'Say no to a card.')
    .argument('<number>', 'the number of the card, like 7 or #7')
    .option('--room <id>', 'where several rooms have a card of that number');
  if (decision === 'granted') {
    command.option('--phrase <sentence>', 'what a destructive card prints: "I confirm …"');
  }
  command.action(async (number: string, { phrase, room }: DecideOptions) => {
    const { decideCard } = await import('./decide.ts');
    const ask = { number, decision, phrase, room };
    if (!(await decideCard(ask, { ...deps, fetch }))) process.exitCode = 1;
  });
}
