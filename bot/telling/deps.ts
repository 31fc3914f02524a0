import type { Log } from '../../shared/log.ts';
import type { Sealer } from '../../shared/seal.ts';
import type { ContinuationDeps } from '../conversation/continuation.ts';
import type { RoomPort } from '../conversation/ports.ts';

/** What telling a room needs. */
export interface TellDeps extends ContinuationDeps {
  readonly room: RoomPort;
  readonly log: Log;
  readonly timeZone: string;
  readonly seals: Sealer;
  readonly isOperator: (userId: string) => boolean;
  /** Everybody who can answer a card, exact Matrix ids. */
  readonly operators: readonly string[];
}

/** Whose phone rings: who asked, or, where that person may not decide, everybody who may. */
export function whoMustAct(
  { isOperator, operators }: Pick<TellDeps, 'isOperator' | 'operators'>,
  requestedBy: string,
): readonly string[] {
  return isOperator(requestedBy) ? [requestedBy] : operators;
}
