import type { Command } from 'commander';
import type { CommandDeps } from '../command-deps.ts';
import { withDatabase } from '../with-database.ts';

interface ShowOptions {
  readonly execution?: string;
  readonly room?: string;
  readonly json?: true;
}

/** Adds `oikos audit verify` and `oikos audit show` to the command line. */
export function registerAudit(program: Command, deps: CommandDeps): void {
  const audit = program.command('audit').description('The ledger: who did what, in order.');
  audit
    .command('verify')
    .description('Walk the hash chain; name the first broken row and end with 1.')
    .option('--json', 'for machines')
    .action((options: { readonly json?: true }) => verify(options, deps));
  audit
    .command('show')
    .description('Tell the whole story of one execution or task, in order.')
    .argument('[subject]', "#7 (quote it: '#7'), T3, or the id of an execution")
    .option('--execution <id>', 'the same as the argument')
    .option('--room <id>', 'where a number stands for something in several rooms')
    .option('--json', 'for machines')
    .action((subject: string | undefined, options: ShowOptions) => show(subject, options, deps));
}

async function verify({ json }: { readonly json?: true }, deps: CommandDeps): Promise<void> {
  const { walkLedger } = await import('../../shared/db/ledger.ts');
  const { markTrouble } = await import('./mark.ts');
  await withDatabase(deps, async (db) => {
    const walk = await walkLedger(db);
    const trouble = walk.kind === 'whole' ? await markTrouble(deps.env, db) : undefined;
    if (walk.kind === 'broken' || trouble !== undefined) process.exitCode = 1;
    if (json) return deps.terminal.say(JSON.stringify({ ...walk, ...(trouble && { trouble }) }));
    if (walk.kind === 'broken') {
      const where = walk.place === null ? '' : ` at place ${walk.place}`;
      return deps.terminal.complain(`The ledger is broken${where}: ${walk.trouble}.`);
    }
    if (trouble !== undefined) return deps.terminal.complain(trouble);
    deps.terminal.say(`The ledger is whole: ${walk.events} events, last hash ${walk.head.hash}.`);
  });
}

async function show(
  argument: string | undefined,
  { execution, room, json }: ShowOptions,
  deps: CommandDeps,
): Promise<void> {
  const { readSubject } = await import('./show.ts');
  const { storiesOf } = await import('../../shared/db/story.ts');
  const { storyLines } = await import('./story-text.ts');
  const written = argument ?? execution ?? '';
  const subject = readSubject(written, room);
  if (!subject) return fail(deps, `"${written}" is no #7, no T3 and no id of an execution.`);
  await withDatabase(deps, async (db) => {
    const stories = await storiesOf(db, subject);
    const [story] = stories;
    if (!story) return fail(deps, `The ledger has no ${written}.`);
    if (stories.length > 1) {
      const places = stories.map(
        (one) => `${one.executions[0]?.id ?? ''} in ${one.task?.roomId ?? 'no room'}`,
      );
      return fail(deps, `${written} is more than one (take --room or an id): ${places.join('; ')}`);
    }
    if (json) return deps.terminal.say(JSON.stringify(story, null, 2));
    for (const line of storyLines(story)) deps.terminal.say(line);
  });
}

function fail({ terminal }: CommandDeps, why: string): void {
  terminal.complain(why);
  process.exitCode = 1;
}
