import { createHash, randomBytes, randomUUID, timingSafeEqual } from 'node:crypto';
import { and, eq, isNull, sql } from 'drizzle-orm';
import type { Sealer } from '../seal.ts';
import { tokenContent } from '../sealed.ts';
import { audit } from './audit.ts';
import type { Db, Tx } from './client.ts';
import { readNow } from './clock.ts';
import { apiTokens, auditEvents } from './schema.ts';

export type TokenRow = typeof apiTokens.$inferSelect;

/** A new token for one operator; it is answered here and can be read nowhere afterwards. */
export function createToken(db: Db, seals: Sealer, operator: string, by: string): Promise<string> {
  const token = `oikos_${randomBytes(32).toString('base64url')}`;
  return db.transaction(async (tx) => {
    const now = await readNow(tx);
    const row = { id: randomUUID(), operator, hash: hashOf(token), createdAt: now };
    await tx.insert(apiTokens).values({ ...row, seal: seals.seal('token', tokenContent(row)) });
    const data = { operator, token: row.id };
    await audit(tx, { at: now, kind: 'token.created', actor: by, data });
    return token;
  });
}

/** Whom a token speaks for; undefined for any that is unknown or revoked. */
export async function operatorOfToken(
  db: Db,
  seals: Sealer,
  token: string,
): Promise<string | undefined> {
  const hash = hashOf(token);
  const [row] = await db
    .select()
    .from(apiTokens)
    .where(and(eq(apiTokens.hash, hash), isNull(apiTokens.revokedAt)));
  if (!row) return undefined;
  // The index has found it already; how long a comparison takes must still tell nothing.
  if (!timingSafeEqual(Buffer.from(row.hash), Buffer.from(hash))) return undefined;
  return (await isAsCreated(db, row, seals)) ? row.operator : undefined;
}

/** As `oikos token create` made it, and never revoked, whatever its row says now. */
async function isAsCreated(db: Db | Tx, row: TokenRow, seals: Sealer): Promise<boolean> {
  if (!seals.fits('token', tokenContent(row), row.seal)) return false;
  return !(await isTold(db, 'token.revoked', row.id));
}

async function isTold(db: Db | Tx, kind: 'token.created' | 'token.revoked', id: string) {
  const about = and(eq(auditEvents.kind, kind), sql`${auditEvents.data} ->> 'token' = ${id}`);
  return (await db.$count(auditEvents, about)) > 0;
}

/** Tokens that their rows call valid, and which we never made or have taken back. */
export async function forgedTokens(db: Db | Tx, seals: Sealer): Promise<TokenRow[]> {
  const forged: TokenRow[] = [];
  for (const row of await db.select().from(apiTokens).where(isNull(apiTokens.revokedAt))) {
    if (!(await isAsCreated(db, row, seals))) forged.push(row);
  }
  return forged;
}

export async function listTokens(db: Db): Promise<TokenRow[]> {
  return db.select().from(apiTokens).orderBy(apiTokens.createdAt);
}

/** Answers false when there is no such token, or it was revoked already, by its row and by the ledger. */
export function revokeToken(db: Db, id: string, by: string): Promise<boolean> {
  return db.transaction(async (tx) => {
    const now = await readNow(tx);
    const revoked = await tx
      .update(apiTokens)
      .set({ revokedAt: now })
      .where(and(eq(apiTokens.id, id), isNull(apiTokens.revokedAt)))
      .returning();
    // A row that somebody else ended can be put back: only the ledger keeps it revoked for good.
    const lives =
      (await isTold(tx, 'token.created', id)) && !(await isTold(tx, 'token.revoked', id));
    if (revoked.length === 0 && !lives) return false;
    await audit(tx, { at: now, kind: 'token.revoked', actor: by, data: { token: id } });
    return true;
  });
}

function hashOf(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}
