import { type Command, InvalidArgumentError } from 'commander';
import { cliActor } from '../actor.ts';
import type { CommandDeps } from '../command-deps.ts';
import { openSealer } from '../seal/open.ts';

const MATRIX_ID = /^@[^:\s]+:\S+$/;

/** Adds `oikos lock`, `unlock` and `token`: who decides, and by what. */
export function registerPeople(program: Command, deps: CommandDeps): void {
  program
    .command('lock')
    .description('Nothing of this person decides any more: a lost phone, a stolen account.')
    .argument('<person>', 'exact Matrix id', matrixId)
    .action((person: string) => lock(deps, person));
  program
    .command('unlock')
    .description('Let a locked person decide again; only possible here.')
    .argument('<person>', 'exact Matrix id', matrixId)
    .action((person: string) => unlock(deps, person));
  const token = program
    .command('token')
    .description('Tokens for deciding at the terminal and over HTTP.');
  token
    .command('create')
    .description('Make a token that speaks for one operator; it is shown once.')
    .requiredOption('--operator <id>', 'exact Matrix id', matrixId)
    .action(({ operator }: { readonly operator: string }) => create(deps, operator));
  token
    .command('list')
    .description('Show what tokens there are.')
    .action(() => list(deps));
  token
    .command('revoke')
    .description('Take a token back.')
    .argument('<id>', 'as the list shows it')
    .action((id: string) => revoke(deps, id));
}

function matrixId(text: string): string {
  if (!MATRIX_ID.test(text)) {
    throw new InvalidArgumentError('must be an exact Matrix id like @name:server.');
  }
  return text;
}

async function lock(deps: CommandDeps, person: string): Promise<void> {
  const { withDatabase } = await import('../with-database.ts');
  const { lockOperator } = await import('../../shared/lock-operator.ts');
  await withDatabase(deps, async (db) => {
    const seals = await openSealer(deps.env);
    const closed = await lockOperator({ db, seals }, person, { by: cliActor() });
    deps.terminal.say(
      closed === null
        ? `${person} is locked already.`
        : `${person} is locked: ${closed.windows} windows and ${closed.cards} cards closed.`,
    );
  });
}

async function unlock(deps: CommandDeps, person: string): Promise<void> {
  const { withDatabase } = await import('../with-database.ts');
  const { unlockPerson } = await import('../../shared/db/locks.ts');
  await withDatabase(deps, async (db) => {
    const unlocked = await unlockPerson(db, await openSealer(deps.env), person, cliActor());
    deps.terminal.say(unlocked ? `${person} may decide again.` : `${person} was not locked.`);
    if (!unlocked) process.exitCode = 1;
  });
}

async function create(deps: CommandDeps, operator: string): Promise<void> {
  const { withDatabase } = await import('../with-database.ts');
  const { createToken } = await import('../../shared/db/tokens.ts');
  await withDatabase(deps, async (db) => {
    deps.terminal.say(await createToken(db, await openSealer(deps.env), operator, cliActor()));
  });
}

async function list(deps: CommandDeps): Promise<void> {
  const { withDatabase } = await import('../with-database.ts');
  const { listTokens } = await import('../../shared/db/tokens.ts');
  await withDatabase(deps, async (db) => {
    const rows = await listTokens(db);
    for (const { id, operator, createdAt, revokedAt } of rows) {
      const state = revokedAt ? 'revoked' : `since ${createdAt.toISOString().slice(0, 16)}`;
      deps.terminal.say(`${id} ${operator}, ${state}`);
    }
    if (rows.length === 0) deps.terminal.say('There are no tokens.');
  });
}

async function revoke(deps: CommandDeps, id: string): Promise<void> {
  const { z } = await import('zod');
  const { withDatabase } = await import('../with-database.ts');
  const { revokeToken } = await import('../../shared/db/tokens.ts');
  await withDatabase(deps, async (db) => {
    const revoked = z.uuid().safeParse(id).success && (await revokeToken(db, id, cliActor()));
    deps.terminal.say(revoked ? 'It counts no more.' : 'There is no such token.');
    if (!revoked) process.exitCode = 1;
  });
}
