import type { InboxRow } from '../../../shared/db/inbox.ts';
import type { Place } from '../places.ts';
import type { IncomingText } from '../ports.ts';
import type { Stopping } from '../stopping.ts';

/** One `!oikos …` of a person, as a command gets it. */
export interface CommandCall {
  readonly deps: Stopping;
  readonly row: InboxRow;
  readonly text: IncomingText;
  readonly place: Place;
  /** All that follows the command's name, line breaks kept. */
  readonly rest: string;
  /** The same, cut at blanks. */
  readonly words: readonly string[];
}

export interface CommandReply {
  /** Told as a notice; none where the change shows by itself. */
  readonly text?: string | undefined;
  /** An execution that is shown again in full, with what was cut off attached. */
  readonly show?: { readonly executionId: string; readonly approvalId: string | null };
}

/**
 * One command: a file of its own in this folder, named in `table.ts`. It is answered from rows,
 * never by the model, and run twice for one event it changes nothing the second time.
 */
export interface Command {
  readonly names: readonly [string, ...string[]];
  /** As help prints it, without `!oikos`. */
  readonly usage: string;
  readonly about: string;
  /** Whether it changes or decides something; viewers have the others only. */
  readonly operatorsOnly: boolean;
  run(call: CommandCall): Promise<CommandReply> | CommandReply;
}

/** An ordinary answer. */
export function saying(text: string): CommandReply {
  return { text };
}
