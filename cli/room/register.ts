import type { Command } from 'commander';
import { ROOM_ID } from '../../shared/domain/matrix-id.ts';
import { cliActor } from '../actor.ts';
import type { CommandDeps } from '../command-deps.ts';
import { openSealer } from '../seal/open.ts';

/** Adds `oikos room add|list|remove`: only in listed rooms do decisions count. */
export function registerRoom(program: Command, deps: CommandDeps): void {
  const room = program.command('room').description('The rooms in which decisions count.');
  room
    .command('add')
    .description('Put a room on the list.')
    .argument('<room>', 'its id, like !abc:example.org (oikos matrix check shows it)')
    .option('--ops', 'every word there is for Nomos, however many people are in it')
    .option('--no-ops', 'among several people only what addresses Nomos is for it')
    .action((id: string, { ops }: { readonly ops?: boolean }) => add(deps, id, ops));
  room
    .command('remove')
    .description('Take a room off the list: from then on it only looks and answers.')
    .argument('<room>', 'its id')
    .action((id: string) => remove(deps, id));
  room
    .command('list')
    .description('Show the list.')
    .action(() => list(deps));
}

async function add(deps: CommandDeps, id: string, ops: boolean | undefined): Promise<void> {
  const { terminal } = deps;
  if (!isRoomId(deps, id)) return;
  const { withDatabase } = await import('../with-database.ts');
  const { listRoom, setOps } = await import('../../shared/db/rooms.ts');
  await withDatabase(deps, async (db) => {
    const added = await listRoom(db, await openSealer(deps.env), id, cliActor());
    terminal.say(added ? `${id} is on the list: decisions count there.` : `${id} was on it.`);
    if (ops === undefined || !(await setOps(db, id, ops, cliActor()))) return;
    terminal.say(ops ? 'Every word there is for Nomos.' : 'Nomos must be addressed there.');
  });
}

async function remove(deps: CommandDeps, id: string): Promise<void> {
  const { terminal } = deps;
  if (!isRoomId(deps, id)) return;
  const { withDatabase } = await import('../with-database.ts');
  const { unlistRoom } = await import('../../shared/db/rooms.ts');
  await withDatabase(deps, async (db) => {
    const removed = await unlistRoom(db, id, cliActor());
    terminal.say(
      removed ? `${id} is off the list: nothing is decided there.` : `${id} was not on it.`,
    );
    if (!removed) process.exitCode = 1;
  });
}

function isRoomId({ terminal }: CommandDeps, id: string): boolean {
  if (ROOM_ID.test(id)) return true;
  terminal.complain(`${id} is no room id: it begins with "!", like !abc:example.org.`);
  process.exitCode = 1;
  return false;
}

async function list(deps: CommandDeps): Promise<void> {
  const { withDatabase } = await import('../with-database.ts');
  const { listedRooms } = await import('../../shared/db/rooms.ts');
  await withDatabase(deps, async (db) => {
    const rooms = await listedRooms(db, await openSealer(deps.env));
    for (const { roomId, listedBy, listedAt, ops, bridged } of rooms) {
      const marks = `${ops ? ', ops' : ''}${bridged ? ', bridged: decides nothing' : ''}`;
      deps.terminal.say(
        `${roomId}, by ${listedBy}, ${listedAt?.toISOString().slice(0, 16)}${marks}`,
      );
    }
    if (rooms.length === 0) deps.terminal.say('The list is empty: no decision counts anywhere.');
  });
}
