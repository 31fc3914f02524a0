import type { Tx } from '../../shared/db/client.ts';
import { announce } from '../../shared/db/outbox.ts';

/**
 * Queues one short line for a room, through the outbox like everything that a person must hear of.
 * `taskId` gives it its thread.
 */
export async function say(
  tx: Tx,
  line: {
    roomId: string;
    taskId: string | null;
    text: string;
    now: Date;
    /** The rule that the line shows: its sentence counts only after this. */
    offers?: string | undefined;
  },
): Promise<void> {
  await announce(tx, {
    type: 'room.say',
    roomId: line.roomId,
    taskId: line.taskId,
    at: line.now,
    data: { text: line.text.slice(0, 3_000), ...(line.offers && { offers: line.offers }) },
  });
}
