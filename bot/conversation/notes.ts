import type { Tx } from '../../shared/db/client.ts';
import { addUserMessage } from '../../shared/db/messages.ts';
import { latestTurn } from '../../shared/db/turns.ts';
import type { Origin } from '../../shared/domain/origin.ts';
import { HOUSE } from './history.ts';

/**
 * Something that the agent must know and that starts no turn: it stands among the messages of the
 * task's last turn and is read with the next one.
 */
export async function noteForNextTurn(
  tx: Tx,
  note: { taskId: string; content: string; at: Date; origins?: readonly Origin[] },
): Promise<void> {
  const turn = await latestTurn(tx, note.taskId);
  await addUserMessage(tx, { ...note, sender: HOUSE, turnId: turn?.id });
}
