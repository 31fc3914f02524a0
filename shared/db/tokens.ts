import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { and, eq, isNull } from 'drizzle-orm';
import { audit } from './audit.ts';
import type { Db } from './client.ts';
import { readNow } from './clock.ts';
import { apiTokens } from './schema.ts';

export type TokenRow = typeof apiTokens.$inferSelect;

/** A new token for one operator; it is answered here and can be read nowhere afterwards. */
export function createToken(db: Db, operator: string, by: string): Promise<string> {
  const token = `oikos_${randomBytes(32).toString('base64url')}`;
  return db.transaction(async (tx) => {
    const now = await readNow(tx);
    const [row] = await tx
      .insert(apiTokens)
      .values({ operator, hash: hashOf(token), createdAt: now })
      .returning({ id: apiTokens.id });
    const data = { operator, token: row?.id };
    await audit(tx, { at: now, kind: 'token.created', actor: by, data });
    return token;
  });
}

/** Whom a token speaks for; undefined for any that is unknown or revoked. */
export async function operatorOfToken(db: Db, token: string): Promise<string | undefined> {
  const hash = hashOf(token);
  const [row] = await db
    .select()
    .from(apiTokens)
    .where(and(eq(apiTokens.hash, hash), isNull(apiTokens.revokedAt)));
  if (!row) return undefined;
  // The index has found it already; how long a comparison takes must still tell nothing.
  return timingSafeEqual(Buffer.from(row.hash), Buffer.from(hash)) ? row.operator : undefined;
}

export async function listTokens(db: Db): Promise<TokenRow[]> {
  return db.select().from(apiTokens).orderBy(apiTokens.createdAt);
}

/** Answers false when there is no such token, or it was revoked already. */
export function revokeToken(db: Db, id: string, by: string): Promise<boolean> {
  return db.transaction(async (tx) => {
    const now = await readNow(tx);
    const revoked = await tx
      .update(apiTokens)
      .set({ revokedAt: now })
      .where(and(eq(apiTokens.id, id), isNull(apiTokens.revokedAt)))
      .returning();
    if (revoked.length === 0) return false;
    await audit(tx, { at: now, kind: 'token.revoked', actor: by, data: { token: id } });
    return true;
  });
}

function hashOf(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}
