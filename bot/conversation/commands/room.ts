import { listRoom, roomById, setOps, whyUndecided } from '../../../shared/db/rooms.ts';
import { ROOM_ID } from '../../../shared/domain/matrix-id.ts';
import { type Command, type CommandCall, saying } from './command.ts';

const HOW = 'Say !oikos room, !oikos room ops on, !oikos room ops off, or !oikos room add !id.';

/** What this room is to us; a room that is trusted may vouch for another. */
export const room: Command = {
  names: ['room'],
  usage: 'room [ops on | ops off | add !id]',
  about:
    'what counts here; ops on: every word here is for me; add: decisions count in that room too',
  operatorsOnly: true,
  async run(call) {
    const { deps, text, words } = call;
    const [what, which] = words;
    if (what === undefined) return saying(await stateOf(call));
    if (what === 'ops' && (which === 'on' || which === 'off')) {
      await setOps(deps.db, text.roomId, which === 'on', text.sender);
      return saying(await stateOf(call));
    }
    if (what === 'add' && which !== undefined && ROOM_ID.test(which)) {
      const added = await listRoom(deps.db, deps.seals, which, text.sender);
      return saying(
        added ? `Decisions count in ${which} from now on.` : `${which} was on the list.`,
      );
    }
    return saying(HOW);
  },
};

async function stateOf({ deps: { db, seals }, text: { roomId } }: CommandCall): Promise<string> {
  const row = await roomById(db, roomId);
  const undecided = await whyUndecided(db, roomId, seals);
  const decides =
    undecided === undefined
      ? 'Decisions count here'
      : `No decision counts here, because ${undecided}`;
  const several = row?.people != null && row.people > 1;
  const heard =
    row?.ops || !several
      ? 'every word here is for me'
      : 'among several people I answer what mentions, names or answers me, and in the threads of tasks';
  return `${decides}; ${heard}.`;
}
