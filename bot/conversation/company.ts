import { and, eq, sql } from 'drizzle-orm';
import { audit } from '../../shared/db/audit.ts';
import type { Tx } from '../../shared/db/client.ts';
import { readNow } from '../../shared/db/clock.ts';
import { isListed, roomById, setCompany } from '../../shared/db/rooms.ts';
import { auditEvents } from '../../shared/db/schema.ts';
import type { ConversationDeps } from './deps.ts';
import { say } from './speak.ts';

/** The homeserver must not hold up words: who is not counted by then is counted another time. */
const PATIENCE_MS = 3_000;
const ASK_AGAIN_MS = 60_000;

export interface CompanyDeps extends ConversationDeps {
  /** When the homeserver was too slow to say who is in a room, by `performance.now()`. */
  readonly tooSlow: Map<string, number>;
}

/** Counts who is in a room, unless that is known since the last time somebody came or went. */
export async function meetCompany(deps: CompanyDeps, roomId: string): Promise<void> {
  const slowAt = deps.tooSlow.get(roomId) ?? Number.NEGATIVE_INFINITY;
  if (performance.now() - slowAt < ASK_AGAIN_MS) return;
  const known = await roomById(deps.db, roomId);
  if (known?.people == null) await lookAround(deps, roomId);
}

/**
 * Counts who is in a room now. What hangs on it: whether words must address us, whether somebody over
 * a bridge keeps it from deciding, and the one warning of people whose words are not taken.
 */
export async function lookAround(deps: CompanyDeps, roomId: string): Promise<void> {
  const found = await inTime(deps, roomId);
  if (!found) return;
  const others = found.members.filter((id) => id !== deps.userId);
  const known = (id: string) => deps.isOperator(id) || deps.isViewer(id);
  const ghost = others.find((id) => !known(id) && isGhost(id));
  await deps.db.transaction(async (tx) => {
    const now = await readNow(tx);
    const before = await roomById(tx, roomId);
    const bridged = found.bridge || ghost !== undefined;
    await setCompany(tx, roomId, { people: others.length, bridged });
    if (bridged && !before?.bridged && before?.listedAt) {
      const who = ghost ?? 'A bridge';
      const text = `${who} brings people from another network into this room: nothing can be approved here while that is so; stop still works.`;
      await say(tx, { roomId, taskId: null, text, now });
    }
    const stranger = others.find((id) => !known(id));
    if (stranger !== undefined) await warnOfStrangers(deps, tx, { roomId, sender: stranger }, now);
  });
}

/**
 * The room hears once that somebody in it is neither operator nor viewer, so that nobody waits for an
 * answer, and everybody knows who reads along.
 */
export async function warnOfStrangers(
  deps: Pick<ConversationDeps, 'operators' | 'isOperator' | 'isViewer' | 'seals'>,
  tx: Tx,
  { roomId, sender, eventId }: { roomId: string; sender: string; eventId?: string },
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

async function inTime({ room, log, tooSlow }: CompanyDeps, roomId: string) {
  const patience = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => {
    tooSlow.set(roomId, performance.now());
    patience.resolve(undefined);
  }, PATIENCE_MS);
  const counted = room.company(roomId).catch((error: unknown) => {
    log.debug({ roomId, err: error }, 'who is in a room could not be read');
    return undefined;
  });
  try {
    return await Promise.race([counted, patience.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** Networks after which bridges name the accounts that they speak for. */
const NETWORKS = [
  'bluesky|discord|facebook|gmessages|googlechat|gvoice|hangouts|imessage|instagram|irc|kakaotalk|line',
  'linkedin|mattermost|messenger|meta|signal|skype|slack|sms|steam|telegram|twitter|wechat|whatsapp|xmpp|zulip',
].join('|');
/** Bridges keep names that begin with an underscore, or with the network's name, for those accounts. */
const GHOST = new RegExp(`^@(?:_|(?:${NETWORKS})(?:_|go_|bot(?::|$)))`);

/** Whether an account looks like one through which a bridge lets somebody speak. */
export function isGhost(userId: string): boolean {
  return GHOST.test(userId);
}
