import { isLocked } from '../../shared/db/locks.ts';
import { whyUndecided } from '../../shared/db/rooms.ts';
import type { ConversationDeps } from './deps.ts';

/** What one event of a person may do. */
export interface Standing {
  /** Its words reach the agent. */
  readonly speaks: boolean;
  /** It may say yes and no, and its turns may use what an earlier yes opened. */
  readonly decides: boolean;
  /** It may end what runs: an operator anywhere. */
  readonly stops: boolean;
}

const NOBODY: Standing = { speaks: false, decides: false, stops: false };
const LOOKS_ONLY: Standing = { speaks: true, decides: false, stops: false };

/**
 * Who may do what: operators decide in listed rooms and stop anywhere, viewers talk, everybody else
 * and whoever is locked does nothing. What came over a bridge was written by somebody whom the
 * homeserver only vouches for: it decides nothing, whoever it claims to be from.
 */
export async function standingOf(
  deps: Pick<ConversationDeps, 'db' | 'isOperator' | 'isViewer' | 'seals'>,
  event: {
    readonly roomId: string;
    readonly sender: string;
    readonly content: Record<string, unknown>;
  },
): Promise<Standing> {
  const { roomId, sender } = event;
  const operator = deps.isOperator(sender);
  if (!(operator || deps.isViewer(sender))) return NOBODY;
  if (await isLocked(deps.db, sender, deps.seals)) return NOBODY;
  if (!operator || isBridged(event.content)) return LOOKS_ONLY;
  const decides = (await whyUndecided(deps.db, roomId, deps.seals)) === undefined;
  return { speaks: true, decides, stops: true };
}

/** Whose invitations are followed: an operator's who is not locked. */
export async function mayInvite(
  { db, isOperator, seals }: Pick<ConversationDeps, 'db' | 'isOperator' | 'seals'>,
  inviter: string,
): Promise<boolean> {
  return isOperator(inviter) && !(await isLocked(db, inviter, seals));
}

/** Marks that bridges leave on what they relay. */
const BRIDGE_MARKS: readonly RegExp[] = [
  /^external_url$/,
  /^uk\.half-shot\./,
  /^net\.maunium\./,
  /^fi\.mau\.(?!.*mentions)/,
  /^com\.beeper\.(?:bridge|source|per_message_profile)/,
  /bridge/,
];

export function isBridged(content: Record<string, unknown>): boolean {
  return Object.keys(content).some((key) => BRIDGE_MARKS.some((mark) => mark.test(key)));
}
