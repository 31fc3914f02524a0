import { and, eq, sql } from 'drizzle-orm';
import { pendingCards } from '../../shared/db/approvals.ts';
import { audit } from '../../shared/db/audit.ts';
import type { Tx } from '../../shared/db/client.ts';
import type { InboxRow } from '../../shared/db/inbox.ts';
import { isListed, markWarned } from '../../shared/db/rooms.ts';
import { auditEvents } from '../../shared/db/schema.ts';
import { looksLikeDecision } from '../assent/explain.ts';
import type { Heard } from './decisions.ts';
import type { ConversationDeps } from './deps.ts';
import type { IncomingText } from './ports.ts';
import { say } from './speak.ts';

/** Words of somebody who may not decide here: talk, with a line where they looked like a decision. */
export async function hearOnlooker(deps: ConversationDeps, text: IncomingText): Promise<Heard> {
  if (!looksLikeDecision(text.body)) return { kind: 'talk' };
  const waiting = await pendingCards(deps.db, text.roomId);
  if (waiting.length === 0) return { kind: 'talk' };
  return { kind: 'explained', line: `Nothing ran: ${await whyNot(deps, text)}.` };
}

async function whyNot(deps: ConversationDeps, text: IncomingText): Promise<string> {
  if (!deps.isOperator(text.sender)) return 'only an operator can decide that';
  return (await isListed(deps.db, text.roomId, deps.seals))
    ? 'what comes over a bridge decides nothing'
    : "decisions do not count here, because this room is not on the operators' list";
}

/** A room that is not on the list is told so once, with the way onto it. */
export async function warnOfList(
  { operators, seals }: Pick<ConversationDeps, 'operators' | 'seals'>,
  tx: Tx,
  roomId: string,
  now: Date,
): Promise<void> {
  if (operators.length === 0 || (await isListed(tx, roomId, seals))) return;
  if (!(await markWarned(tx, roomId, now))) return;
  const text = `This room is not on the operators' list: I look and answer here, and nothing can be approved. To change that, run this where Oikos is installed: npm run oikos -- room add '${roomId}'`;
  await say(tx, { roomId, taskId: null, text, now });
}

/**
 * Somebody who is neither operator nor viewer has spoken: the room hears once that no words of such
 * people are taken, so that nobody waits for an answer.
 */
export async function noticeStranger(
  deps: Pick<ConversationDeps, 'operators' | 'isOperator' | 'isViewer' | 'seals'>,
  tx: Tx,
  { roomId, sender, eventId }: Pick<InboxRow, 'roomId' | 'sender' | 'eventId'>,
  now: Date,
): Promise<void> {
  const known = deps.isOperator(sender) || deps.isViewer(sender);
  if (known || deps.operators.length === 0 || !(await isListed(tx, roomId, deps.seals))) return;
  const before = await tx.$count(
    auditEvents,
    and(
      eq(auditEvents.kind, 'stranger.noticed'),
      sql`${auditEvents.data} ->> 'roomId' = ${roomId}`,
    ),
  );
  if (before > 0) return;
  await audit(tx, { at: now, kind: 'stranger.noticed', actor: sender, eventId, data: { roomId } });
  const text = `${sender} is neither operator nor viewer: I take no words of such people, and they can read what I say here.`;
  await say(tx, { roomId, taskId: null, text, now });
}
