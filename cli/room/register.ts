import type { Command } from 'commander';
import { cliActor } from '../actor.ts';
import type { CommandDeps } from '../command-deps.ts';
import { openSealer } from '../seal/open.ts';

const ROOM_ID = /^![^\s]{1,254}$/;

/** Adds `oikos room add|list|remove`: only in listed rooms do decisions count. */
export function registerRoom(program: Command, deps: CommandDeps): void {
  const room = program.command('room').description('The rooms in which decisions count.');
  room
    .command('add')
    .description('Put a room on the list.')
    .argument('<room>', 'its id, like !abc:example.org (oikos matrix check shows it)')
    .action((id: string) => change(deps, id, 'add'));
  room
    .command('remove')
    .description('Take a room off the list: from then on it only looks and answers.')
    .argument('<room>', 'its id')
    .action((id: string) => change(deps, id, 'remove'));
  room
    .command('list')
    .description('Show the list.')
    .action(() => list(deps));
}

async function change(deps: CommandDeps, id: string, what: 'add' | 'remove'): Promise<void> {
  const { terminal } = deps;
  if (!ROOM_ID.test(id)) {
    terminal.complain(`${id} is no room id: it begins with "!", like !abc:example.org.`);
    process.exitCode = 1;
    return;
  }
  const { withDatabase } = await import('../with-database.ts');
  const { listRoom, unlistRoom } = await import('../../shared/db/rooms.ts');
  await withDatabase(deps, async (db) => {
    if (what === 'add') {
      const added = await listRoom(db, await openSealer(deps.env), id, cliActor());
      terminal.say(added ? `${id} is on the list: decisions count there.` : `${id} was on it.`);
      return;
    }
    const removed = await unlistRoom(db, id, cliActor());
    terminal.say(
      removed ? `${id} is off the list: nothing is decided there.` : `${id} was not on it.`,
    );
    if (!removed) process.exitCode = 1;
  });
}

async function list(deps: CommandDeps): Promise<void> {
  const { withDatabase } = await import('../with-database.ts');
  const { listedRooms } = await import('../../shared/db/rooms.ts');
  await withDatabase(deps, async (db) => {
    const rooms = await listedRooms(db, await openSealer(deps.env));
    for (const { roomId, listedBy, listedAt } of rooms) {
      deps.terminal.say(`${roomId}, by ${listedBy}, ${listedAt?.toISOString().slice(0, 16)}`);
    }
    if (rooms.length === 0) deps.terminal.say('The list is empty: no decision counts anywhere.');
  });
}
