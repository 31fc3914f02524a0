import { and, eq, gt, sql } from 'drizzle-orm';
import { audit } from '../../shared/db/audit.ts';
import type { Db, Tx } from '../../shared/db/client.ts';
import { clockTrouble, readNow } from '../../shared/db/clock.ts';
import { settingsTrouble } from '../../shared/db/gate-settings-seal.ts';
import { type InboxRow, markHandled } from '../../shared/db/inbox.ts';
import { lostLocks } from '../../shared/db/locks.ts';
import { forgedRooms, listedRooms } from '../../shared/db/rooms.ts';
import { auditEvents } from '../../shared/db/schema.ts';
import { forgedTokens } from '../../shared/db/tokens.ts';
import type { Sealer } from '../../shared/seal.ts';
import { say } from './speak.ts';

/** The rooms hear of the same thing no more often than this, however often it is met. */
const TELL_AGAIN_MS = 24 * 60 * 60_000;
const LOOK_EVERY_MS = 60_000;

const FORGED_EVENT = 'messages that no homeserver brought; none of them counts';

/** An event that somebody wrote into the database: it is not heard, and the rooms are told once. */
export async function refuseForged(
  { db, seals }: { readonly db: Db; readonly seals: Sealer },
  row: InboxRow,
): Promise<void> {
  await db.transaction(async (tx) => {
    const now = await readNow(tx);
    const { eventId, sender, roomId } = row;
    const told = await tellOnce(tx, seals, { what: FORGED_EVENT, now });
    const data = { what: FORGED_EVENT, claims: sender, roomId, told };
    await audit(tx, { at: now, kind: 'database.altered', actor: 'oikos', eventId, data });
    await markHandled(tx, row.seq);
  });
}

/** Looks at what decides who may say yes, where and when; what somebody else wrote is told once. */
export function watchForTampering(db: Db, seals: Sealer): () => Promise<void> {
  let last = Number.NEGATIVE_INFINITY;
  return async () => {
    if (performance.now() - last < LOOK_EVERY_MS) return;
    last = performance.now();
    await db.transaction(async (tx) => {
      const now = await readNow(tx);
      for (const what of await alterations(tx, seals)) {
        if (!(await tellOnce(tx, seals, { what, now }))) continue;
        const data = { what, told: true };
        await audit(tx, { at: now, kind: 'database.altered', actor: 'oikos', data });
      }
    });
  };
}

async function alterations(tx: Tx, seals: Sealer): Promise<string[]> {
  const rooms = await forgedRooms(tx, seals);
  const locks = await lostLocks(tx, seals);
  const tokens = await forgedTokens(tx, seals);
  const settings = await settingsTrouble(tx, seals);
  const clock = await clockTrouble(tx, seals, new Date());
  return [
    ...rooms.map(
      ({ roomId }) =>
        `room ${roomId} on the operators' list without "oikos room add"; decisions do not count there`,
    ),
    ...locks.map((person) => `the lock of ${person} taken away without "oikos unlock"; it holds`),
    ...tokens.map(
      ({ id, operator }) => `token ${id} of ${operator}, which is not valid; it decides nothing`,
    ),
    ...(settings === undefined ? [] : [`${settings}; nothing starts`]),
    ...(clock === undefined ? [] : [`${clock}; nothing starts`]),
  ];
}

/** Answers whether it is told now; false: the rooms know, or there is none to tell. */
async function tellOnce(
  tx: Tx,
  seals: Sealer,
  { what, now }: { readonly what: string; readonly now: Date },
): Promise<boolean> {
  const known = await tx.$count(
    auditEvents,
    and(
      eq(auditEvents.kind, 'database.altered'),
      sql`${auditEvents.data} ->> 'what' = ${what}`,
      sql`${auditEvents.data} ->> 'told' = 'true'`,
      gt(auditEvents.at, new Date(now.getTime() - TELL_AGAIN_MS)),
    ),
  );
  if (known > 0) return false;
  const rooms = await listedRooms(tx, seals);
  // Nobody hears it: it stays to be told.
  if (rooms.length === 0) return false;
  const text = `Somebody wrote to the database past me: ${what}. Look who has access to it; \`oikos audit verify\` looks at the ledger.`;
  for (const { roomId } of rooms) {
    await say(tx, { roomId, taskId: null, text, now });
  }
  return true;
}
